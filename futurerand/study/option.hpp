// Option: one parameter of a study. option_table.hpp has all of them. The command makes a flag of
// each, Python a keyword argument, and GET /v1/plan a parameter.
//
// An option points into its question. The question must outlive it.
//
// Thread safety: one thread at a time.
#pragma once

#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

struct Option {
  enum class Kind { kWhole, kReal, kBudget, kText, kFlag };

  std::string name;  // as Python spells it; the flag has dashes
  Kind kind;
  std::string symbol;  // of its value in --help
  std::string help;
  // Reads a value. An error has the problem and the expectation, without the option's name.
  std::function<Status(std::string_view)> set;
  std::function<nlohmann::json()> get;  // null: not given
  bool constant = false;                // of a rival; Python has all of them in one mapping

  std::string flag() const {
    std::string text = "--" + name;
    for (char& c : text) c = c == '_' ? '-' : c;
    return text;
  }
};

using Options = std::vector<Option>;

// These make rows of the table. For a std::optional member the default is "not given".
namespace option {

template <typename T>
struct Held {
  using Type = T;
};
template <typename T>
struct Held<std::optional<T>> {
  using Type = T;
};

// Returns a getter: the value through `write`, or null.
template <typename Member, typename Write>
std::function<nlohmann::json()> getter(Member& member, Write write) {
  return [&member, write]() -> nlohmann::json {
    if constexpr (std::is_same_v<typename Held<Member>::Type, Member>) {
      return write(member);
    } else {
      return member ? write(*member) : nlohmann::json(nullptr);
    }
  };
}

// A number from low to high. Not a number is in no range.
template <typename Member>
Option number(std::string name, std::string symbol, Member& member, typename Held<Member>::Type low,
              typename Held<Member>::Type high, std::string help) {
  using T = typename Held<Member>::Type;
  const auto set = [&member, low, high](std::string_view text) -> Status {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool read = error == std::errc() && end == text.data() + text.size();
    if (!read && error != std::errc::result_out_of_range) {
      return Error{fmt::format("'{}' is no {}; expected {} to {}", text,
                               std::is_integral_v<T> ? "whole number" : "number", low, high)};
    }
    if (!read || !(value >= low && value <= high)) {
      return Error{fmt::format("{} is out of range; expected {} to {}", text, low, high)};
    }
    member = value;
    return {};
  };
  constexpr auto kKind = std::is_integral_v<T> ? Option::Kind::kWhole : Option::Kind::kReal;
  return {
      std::move(name), kKind, std::move(symbol),
      std::move(help), set,   getter(member, [](const T& value) { return nlohmann::json(value); })};
}

inline Option budget(std::string name, std::string symbol, Epsilon& member, std::string help) {
  const auto set = [&member](std::string_view text) -> Status {
    const Result<Epsilon> epsilon = Epsilon::parse(text);
    if (!epsilon) return epsilon.error();
    member = *epsilon;
    return {};
  };
  return {std::move(name),
          Option::Kind::kBudget,
          std::move(symbol),
          std::move(help),
          set,
          getter(member, [](const Epsilon& value) { return value.text(); })};
}

// One of several values by name. Without a symbol --help lists the names.
template <typename Member>
Option named(std::string name, std::string symbol, Member& member,
             std::vector<std::pair<std::string, typename Held<Member>::Type>> values,
             std::string help) {
  using T = typename Held<Member>::Type;
  std::string listed, joined;
  for (std::size_t i = 0; i < values.size(); ++i) {
    listed += (i == 0 ? "" : i + 1 < values.size() ? ", " : " or ") + values[i].first;
    joined += (i == 0 ? "" : "|") + values[i].first;
  }
  const auto set = [&member, values, listed](std::string_view text) -> Status {
    for (const auto& [known, value] : values) {
      if (known != text) continue;
      member = value;
      return {};
    }
    return Error{fmt::format("'{}' is unknown; expected {}", text, listed)};
  };
  const auto write = [values](const T& held) {
    for (const auto& [known, value] : values) {
      if (value == held) return nlohmann::json(known);
    }
    return nlohmann::json(nullptr);
  };
  return {std::move(name),
          Option::Kind::kText,
          symbol.empty() ? joined : std::move(symbol),
          std::move(help),
          set,
          getter(member, write)};
}

// The same for an enumeration with name_of.
template <typename Member, typename Values>
Option choice(std::string name, Member& member, const Values& values, std::string help) {
  std::vector<std::pair<std::string, typename Held<Member>::Type>> pairs;
  for (const auto value : values) pairs.emplace_back(std::string(name_of(value)), value);
  return named(std::move(name), "", member, std::move(pairs), std::move(help));
}

// Any text but an empty one.
inline Option text(std::string name, std::string symbol, std::optional<std::string>& member,
                   std::string help) {
  const auto set = [&member](std::string_view given) -> Status {
    if (given.empty()) return Error{"it is empty; expected a text"};
    member = given;
    return {};
  };
  return {std::move(name),
          Option::Kind::kText,
          std::move(symbol),
          std::move(help),
          set,
          getter(member, [](const std::string& held) { return nlohmann::json(held); })};
}

// Two numbers with a comma between them, the lower first.
inline Option range(std::string name, std::string symbol, std::pair<double, double>& member,
                    std::string help) {
  const auto set = [&member](std::string_view text) -> Status {
    std::pair<double, double> read;
    const char* end = text.data() + text.size();
    const auto low = std::from_chars(text.data(), end, read.first);
    const bool has_comma = low.ec == std::errc() && low.ptr != end && *low.ptr == ',';
    const auto high = has_comma ? std::from_chars(low.ptr + 1, end, read.second) : low;
    if (!has_comma || high.ec != std::errc() || high.ptr != end || !(read.first < read.second)) {
      return Error{fmt::format(
          "'{}' is no range; expected two numbers such as 0,100, the lower first", text)};
    }
    member = read;
    return {};
  };
  return {std::move(name),
          Option::Kind::kText,
          std::move(symbol),
          std::move(help),
          set,
          getter(member, [](const std::pair<double, double>& held) {
            return fmt::format("{},{}", held.first, held.second);
          })};
}

inline Option flag(std::string name, bool& member, std::string help) {
  const auto set = [&member](std::string_view text) -> Status {
    if (text != "true" && text != "false") {
      return Error{fmt::format("'{}' is no truth value; expected true or false", text)};
    }
    member = text == "true";
    return {};
  };
  return {std::move(name),
          Option::Kind::kFlag,
          "",
          std::move(help),
          set,
          getter(member, [](bool value) { return nlohmann::json(value); })};
}

}  // namespace option
}  // namespace futurerand
