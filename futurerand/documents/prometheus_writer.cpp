#include "futurerand/documents/prometheus_writer.hpp"

#include <charconv>

namespace futurerand {
namespace {

std::string seconds_text(std::uint64_t milliseconds) {
  std::string digits = std::to_string(milliseconds);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return digits.insert(digits.size() - 3, ".");
}

std::string_view name_of(PrometheusWriter::Kind kind) {
  switch (kind) {
    case PrometheusWriter::Kind::kCounter:
      return "counter";
    case PrometheusWriter::Kind::kGauge:
      return "gauge";
    case PrometheusWriter::Kind::kHistogram:
      break;
  }
  return "histogram";
}

void put_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

}  // namespace

PrometheusWriter& PrometheusWriter::begin(std::string_view name, Kind kind, std::string_view help) {
  name_ = name;
  out_.append("# HELP ").append(name).append(1, ' ').append(help);
  out_.append("\n# TYPE ").append(name).append(1, ' ').append(name_of(kind)).append(1, '\n');
  return *this;
}

PrometheusWriter& PrometheusWriter::real(double value, Labels labels) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return put("", labels, std::string_view(text, static_cast<std::size_t>(end - text)));
}

PrometheusWriter& PrometheusWriter::seconds(std::uint64_t milliseconds, Labels labels) {
  return put("", labels, seconds_text(milliseconds));
}

PrometheusWriter& PrometheusWriter::histogram(std::string_view name, std::string_view help,
                                              std::span<const std::uint32_t> bounds_ms,
                                              std::span<const std::uint64_t> counts,
                                              std::uint64_t total_milliseconds) {
  begin(name, Kind::kHistogram, help);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    total += counts[i];
    const std::string bound = i < bounds_ms.size() ? seconds_text(bounds_ms[i]) : "+Inf";
    put("_bucket", {{"le", bound}}, std::to_string(total));
  }
  put("_sum", {}, seconds_text(total_milliseconds));
  return put("_count", {}, std::to_string(total));
}

PrometheusWriter& PrometheusWriter::put(std::string_view suffix, Labels labels,
                                        std::string_view value) {
  out_.append(name_).append(suffix);
  if (labels.size() > 0) {
    char before = '{';
    for (const PrometheusLabel& label : labels) {
      out_.append(1, before).append(label.name).append("=\"");
      put_escaped(out_, label.value);
      out_ += '"';
      before = ',';
    }
    out_ += '}';
  }
  out_.append(1, ' ').append(value).append(1, '\n');
  return *this;
}

}  // namespace futurerand
