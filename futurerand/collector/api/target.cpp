#include "futurerand/collector/api/target.hpp"

namespace futurerand {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded.push_back(' ');
    } else if (text[i] != '%') {
      decoded.push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      decoded.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return decoded;
}

// Calls visit(part) for each part between separators; false as soon as visit is.
template <typename Visit>
bool split(std::string_view text, char separator, Visit&& visit) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (!visit(text.substr(0, end))) return false;
    if (end == text.npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::string> Target::find(std::string_view key) const {
  for (const auto& [name, value] : query) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::optional<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  Target target;
  const std::size_t mark = text.find('?');
  const bool path_decoded =
      split(text.substr(1, mark == text.npos ? mark : mark - 1), '/', [&](std::string_view part) {
        const auto decoded = decode(part, false);
        if (decoded && !decoded->empty()) target.path.push_back(*decoded);
        return decoded.has_value();
      });
  if (!path_decoded) return std::nullopt;
  if (mark == text.npos) return target;
  const bool query_decoded = split(text.substr(mark + 1), '&', [&](std::string_view part) {
    if (part.empty()) return true;
    const std::size_t equals = part.find('=');
    const auto key = decode(part.substr(0, equals), true);
    const auto value = equals == part.npos ? std::optional<std::string>("")
                                           : decode(part.substr(equals + 1), true);
    if (key && value) target.query.emplace_back(*key, *value);
    return key && value;
  });
  if (!query_decoded) return std::nullopt;
  return target;
}

}  // namespace futurerand
