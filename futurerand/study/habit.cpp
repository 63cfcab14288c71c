#include "futurerand/study/habit.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include <fmt/core.h>

#include "futurerand/documents/captions.hpp"

namespace futurerand {
namespace {

using Words = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      words.back() += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

bool is_number(const std::string& word) {
  return !word.empty() &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool sounds_like_habit(std::string_view question) {
  std::vector<std::string> words = words_of(question);
  words.resize(words.size() + 2);
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    const std::string &word = words[i], &next = words[i + 1], &third = words[i + 2];
    if (is_one_of(word,
                  {"today", "tonight", "yesterday", "daily", "nightly", "hourly", "weekly"})) {
      return true;
    }
    if (is_one_of(word, {"every", "each", "per", "a", "this", "last"}) &&
        is_one_of(next, {"hour", "day", "morning", "evening", "night", "week", "weekend"})) {
      return true;
    }
    if (is_one_of(word, {"last", "past"}) && is_number(next) &&
        is_one_of(third, {"minutes", "hours", "days", "weeks"})) {
      return true;
    }
    if (is_one_of(word, {"right", "just"}) && next == "now") return true;
  }
  return false;
}

std::string habit_warning(std::string_view question, const Plan& plan) {
  if (!sounds_like_habit(question) || 4 * std::uint64_t{plan.max_changes} >= plan.num_periods) {
    return "";
  }
  return fmt::format(
      "this sounds like a habit, which changes from period to period. A device is counted for at "
      "most {} in {}; further changes make the figures wrong. Ask for a lasting state instead, "
      "such as a setting, or plan for more changes",
      counted(plan.max_changes, "change"), counted(plan.num_periods, "period"));
}

}  // namespace futurerand
