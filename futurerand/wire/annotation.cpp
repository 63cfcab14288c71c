#include "futurerand/wire/annotation.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace futurerand {

Status check_annotation_text(std::string_view text) {
  if (text.size() > kMaxAnnotationBytes) {
    return Error{"the text has " + std::to_string(text.size()) + " bytes; expected at most " +
                 std::to_string(kMaxAnnotationBytes)};
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return Error{"the text has a control character; expected one line of text"};
  }
  return {};
}

Result<std::vector<Annotation>> annotate(std::vector<Annotation> all, const Annotation& one) {
  const auto before = [](const Annotation& a, const Annotation& b) {
    return std::tie(a.period, a.date) < std::tie(b.period, b.date);
  };
  const auto at = std::lower_bound(all.begin(), all.end(), one, before);
  const bool exists = at != all.end() && !before(one, *at);
  if (one.text.empty()) {
    if (exists) all.erase(at);
    return all;
  }
  if (exists) {
    at->text = one.text;
    return all;
  }
  if (all.size() == kMaxAnnotations) {
    return Error{"the metric has " + std::to_string(kMaxAnnotations) +
                 " annotations; expected fewer before one more"};
  }
  all.insert(at, one);
  return all;
}

std::string to_lines(const std::vector<Annotation>& annotations) {
  std::string lines;
  for (const Annotation& one : annotations) {
    lines += std::to_string(one.period);
    lines.append("\t").append(one.date).append("\t").append(one.text).append("\n");
  }
  return lines;
}

std::vector<Annotation> annotations_from_lines(std::string_view lines) {
  std::vector<Annotation> annotations;
  const auto take_until = [&lines](char end) {
    const std::size_t at = std::min(lines.find(end), lines.size());
    const std::string_view taken = lines.substr(0, at);
    lines.remove_prefix(std::min(at + 1, lines.size()));
    return taken;
  };
  while (!lines.empty()) {
    Annotation& one = annotations.emplace_back();
    const std::string_view period = take_until('\t');
    std::from_chars(period.data(), period.data() + period.size(), one.period);
    one.date = take_until('\t');
    one.text = take_until('\n');
  }
  return annotations;
}

}  // namespace futurerand
