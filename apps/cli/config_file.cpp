#include "apps/cli/config_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "apps/cli/failure.hpp"

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
  std::ifstream file(*path);
  if (!file) throw bad_input("cannot read --config '" + *path + "'");

  std::vector<std::string> more;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(file)) {
    const CLI::Option* option =
        item.parents.empty() ? command->get_option_no_throw("--" + item.name) : nullptr;
    if (option == nullptr || item.name == "config" || item.name == "help") {
      throw bad_input("'" + *path + "' has '" + item.fullname() + "', which is no flag of " +
                      command->get_name() + "; see futurerand " + command->get_name() + " --help");
    }
    if (is_given(*option, arguments)) continue;
    for (const std::string& value : item.inputs) more.push_back("--" + item.name + "=" + value);
  }
  arguments.insert(arguments.begin() + 1, more.begin(), more.end());
  return arguments;
}

}  // namespace futurerand::apps
