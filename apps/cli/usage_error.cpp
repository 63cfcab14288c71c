#include "apps/cli/usage_error.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace futurerand::apps {
namespace {

// The parts of a text before, between and after two words; empty if it lacks one of them.
struct Cut {
  std::string before, between, after;
};

std::optional<Cut> cut(const std::string& text, std::string_view first, std::string_view second) {
  const std::size_t at = text.find(first);
  if (at == text.npos) return std::nullopt;
  const std::size_t begin = at + first.size();
  const std::size_t end = text.find(second, begin);
  if (end == text.npos) return std::nullopt;
  return Cut{text.substr(0, at), text.substr(begin, end - begin), text.substr(end + second.size())};
}

std::string trimmed(std::string number) {
  if (number.ends_with(".000000")) number.resize(number.size() - 7);
  return number;
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> extras = app.remaining(true);
    const auto flag = std::find_if(extras.begin(), extras.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
    if (flag != extras.end()) return fmt::format("unknown flag '{}'", *flag);
    if (!extras.empty()) return fmt::format("unexpected argument '{}'", extras.front());
  }
  if (const auto found = cut(text, ": 1 required ", " missing")) {
    return fmt::format("{}: no value; expected {}", found->before, found->between);
  }
  if (const auto found = cut(text, ": At least ", " required but received ")) {
    return fmt::format("{}: {} given; expected at least {}", found->before, found->after,
                       found->between);
  }
  if (const auto found = cut(text, ": At Most ", " required but received ")) {
    return fmt::format("{}: given {} times; expected once", found->before, found->after);
  }
  if (const auto found = cut(text, ": Value ", " not in range ")) {
    const auto ends = cut("from " + found->after, "from ", " to ");
    if (ends) {
      return fmt::format("{}: '{}' is not in the range; expected {} to {}", found->before,
                         found->between, trimmed(ends->between), trimmed(ends->after));
    }
  }
  if (const auto found = cut(text, "Could not convert: ", " = ")) {
    return fmt::format("{}: '{}' has the wrong form", found->between, found->after);
  }
  return text;
}

CLI::Validator one_of(std::initializer_list<std::string> names) {
  const std::vector<std::string> known(names);
  const auto check = [known](const std::string& given) -> std::string {
    if (std::find(known.begin(), known.end(), given) != known.end()) return {};
    std::string expected;
    for (const std::string& name : known) {
      if (!expected.empty()) expected += &name == &known.back() ? " or " : ", ";
      expected += name;
    }
    return fmt::format("'{}' is unknown; expected {}", given, expected);
  };
  return CLI::Validator(check, "");
}

}  // namespace futurerand::apps
