// Documents come from the other side of the network, or back from a disk. Any bytes are read or
// rejected, and every accepted document survives writing and reading unchanged.
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/documents/answer_document.hpp"
#include "futurerand/documents/exported_metric.hpp"
#include "futurerand/documents/sums_document.hpp"
#include "futurerand/wire/error_answer.hpp"
#include "futurerand/wire/metric_request.hpp"
#include "futurerand/wire/report_answer.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace {

template <typename Parse, typename Write>
void there_and_back(std::string_view text, Parse parse, Write write) {
  const auto first = parse(text);
  if (!first) return;
  const std::string written = write(*first);
  const auto second = parse(written);
  if (!second || write(*second) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace futurerand;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto to_text = [](const auto& document) { return to_json(document); };
  there_and_back(text, parse_report_answer, to_text);
  there_and_back(text, parse_error_answer, to_text);
  (void)parse_answer_rows(text);
  there_and_back(text, parse_sums, to_text);
  there_and_back(text, parse_metric, to_text);
  there_and_back(
      text, [](std::string_view body) { return define_metric("m", body, Instant{}); }, to_request);
  there_and_back(text, parse_exported_metric, to_text);
  (void)parse_published_metric(text);
  (void)parse_utc_time(text);
  return 0;
}
