// Untrusted clients send requests to a collector with one metric. Any bytes get exactly one answer,
// and the counts stay consistent. The first line is method and target; the rest is the body.
#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>

#include "futurerand/collector/api/api.hpp"
#include "futurerand/collector/log/memory_log.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace {

using namespace futurerand;

ApiResponse call(Api& api, ApiRequest request) {
  std::promise<ApiResponse> answer;
  api.handle(std::move(request), [&](ApiResponse it) { answer.set_value(std::move(it)); });
  ApiResponse response = answer.get_future().get();
  response.finish();
  return response;
}

// It lasts as long as the process, because starting threads for each input would take most of the
// time.
struct Collector {
  Collector()
      : writer(writer_options(), LoadedState{State({1, 2})}, log, log), api(api_options(), writer) {
    const ApiResponse created =
        call(api, {.method = "PUT",
                   .target = "/v1/metrics/m",
                   .body = R"({"periods":16,"max_changes":2,"epsilon":"1","clock":"manual"})",
                   .authorization = "Bearer t"});
    if (created.status != 201) std::abort();
    for (int i = 0; i < 8; ++i) {
      (void)call(
          api, {.method = "POST", .target = "/v1/metrics/m/advance", .authorization = "Bearer t"});
    }
  }
  static WriterOptions writer_options() {
    WriterOptions options;
    options.now = [] { return Instant(std::chrono::milliseconds(1)); };
    return options;
  }
  static ApiOptions api_options() {
    ApiOptions options;
    options.now = [] { return Instant(std::chrono::milliseconds(1)); };
    options.tokens->replace({.admin = {"t"}});
    options.max_body_bytes = 1 << 16;
    return options;
  }
  MemoryLog log;
  Writer writer;
  Api api;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Collector* const collector = new Collector;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const std::size_t space = text.substr(0, line).find(' ');
  ApiRequest request;
  request.method = text.substr(0, space);
  if (space != text.npos) request.target = text.substr(space + 1, line - space - 1);
  if (line != text.npos) request.body = text.substr(line + 1);
  if (size % 3 == 0) request.content_encoding = "gzip";
  if (size % 5 == 0) request.accept = "text/csv";
  if (size % 7 == 0) request.origin = request.target;
  const std::vector<AddressRange> trusted = {*AddressRange::parse("0.0.0.0/0")};
  request.address = sender_of(*Address::parse("192.0.2.1"), request.target, trusted);
  (void)AddressRange::parse(request.target);
  const ApiResponse response = call(collector->api, request);
  if (response.status < 200 || response.status > 599) std::abort();
  // The same lines are also sent as reports: each counts once.
  const ApiRequest reports{
      .method = "POST", .target = "/v1/metrics/m/reports", .body = request.body};
  (void)call(collector->api, reports);
  const std::string again = call(collector->api, reports).body;
  if (again.find("\"accepted\"") != again.npos && again.find("\"accepted\":0,") == again.npos) {
    std::abort();
  }
  const auto metric = collector->writer.snapshot()->find("m");
  for (std::uint32_t view = 0; view < metric->sums.num_views(); ++view) {
    const auto expected = metric->sums.expected_reports(view);
    for (std::uint32_t index = 1; index <= expected.size(); ++index) {
      const IndexSum& at = metric->sums.at(view, index);
      if (at.count > expected[index - 1]) std::abort();
      if (static_cast<std::uint64_t>(std::abs(at.sum)) > at.count) std::abort();
    }
  }
  return 0;
}
