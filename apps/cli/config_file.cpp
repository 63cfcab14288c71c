#include "apps/cli/config_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include <fmt/core.h>
#include <toml++/toml.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"

namespace futurerand::apps {
namespace {

constexpr const char* kConfig = "--config";

// FILE of `--config FILE` or `--config=FILE`.
std::optional<std::string> config_path(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == kConfig && i + 1 < arguments.size()) return arguments[i + 1];
    if (arguments[i].starts_with(std::string(kConfig) + "=")) {
      return arguments[i].substr(std::string(kConfig).size() + 1);
    }
  }
  return std::nullopt;
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& arguments) {
  for (const std::string& name : option.get_lnames()) {
    const std::string flag = "--" + name;
    if (std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
          return argument == flag || argument.starts_with(flag + "=");
        })) {
      return true;
    }
  }
  const char* environment =
      option.get_envname().empty() ? nullptr : std::getenv(option.get_envname().c_str());
  return environment != nullptr && *environment != '\0';
}

toml::table parsed(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw bad_input(fmt::format("'{}' is no TOML: line {}: {}", path, error.source().begin.line,
                                error.description()));
  }
}

// A value as the text for a flag.
std::string text_of(const std::string& path, const std::string& flag, const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* number = value.as_integer()) return std::to_string(number->get());
  if (const auto* on = value.as_boolean()) return on->get() ? "true" : "false";
  if (const auto* number = value.as_floating_point()) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number->get()).ptr};
  }
  throw bad_input(
      fmt::format("'{}' has '{}' as a date or a table; expected a text, a number, true, "
                  "false or a list of them",
                  path, flag));
}

std::vector<std::string> texts_of(const std::string& path, const std::string& flag,
                                  const toml::node& value) {
  const toml::array* list = value.as_array();
  if (list == nullptr) return {text_of(path, flag, value)};
  std::vector<std::string> texts;
  for (const toml::node& each : *list) texts.push_back(text_of(path, flag, each));
  return texts;
}

}  // namespace

std::vector<std::string> with_config_file(const CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  const CLI::App* command = nullptr;
  for (const CLI::App* known : app.get_subcommands({})) {
    if (known->get_name() == arguments.front()) command = known;
  }
  if (command == nullptr || command->get_option_no_throw(kConfig) == nullptr) return arguments;
  const std::optional<std::string> path = config_path(arguments);
  if (!path) return arguments;
  std::vector<std::string> more;
  for (const auto& [key, value] : parsed(*path)) {
    const std::string name(key.str());
    const CLI::Option* option =
        value.is_table() ? nullptr : command->get_option_no_throw("--" + name);
    if (option == nullptr || name == "config" || name == "help") {
      throw bad_input("'" + *path + "' has '" + name + "', which is no flag of " +
                      command->get_name() + "; see futurerand " + command->get_name() + " --help");
    }
    if (is_given(*option, arguments)) continue;
    for (const std::string& text : texts_of(*path, name, value)) {
      more.push_back("--" + name + "=" + text);
    }
  }
  arguments.insert(arguments.begin() + 1, more.begin(), more.end());
  return arguments;
}

}  // namespace futurerand::apps
