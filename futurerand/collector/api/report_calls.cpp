#include "futurerand/collector/api/report_calls.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "futurerand/collector/api/answer_or_fail.hpp"
#include "futurerand/collector/api/gzip.hpp"
#include "futurerand/collector/api/metric_calls.hpp"
#include "futurerand/collector/api/report_lines.hpp"
#include "futurerand/collector/api/write_refusal.hpp"
#include "futurerand/wire/metric_sections.hpp"

namespace futurerand {
namespace {

// Reading so much takes a few milliseconds.
constexpr std::size_t kLargeBody = 256 << 10;
// Reading a large batch takes longer than any other work on the HTTP threads. A flood of batches
// for one metric would delay the single reports of all others.
constexpr std::size_t kBatchBody = 16 << 10;

// The results of parsing and folding, combined.
ReportAnswer merged(std::vector<LineError> malformed, ReportAnswer folded) {
  ReportAnswer all;
  all.counts = folded.counts;
  all.counts.rejected += malformed.size();
  all.errors_not_shown = folded.errors_not_shown;
  std::vector<LineError> errors = std::move(folded.errors);
  std::move(malformed.begin(), malformed.end(), std::back_inserter(errors));
  std::sort(errors.begin(), errors.end(),
            [](const LineError& a, const LineError& b) { return a.line < b.line; });
  for (LineError& error : errors) all.add(std::move(error));
  return all;
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::optional<ApiResponse> ReportCalls::unpack(ApiRequest& request) {
  const std::string& encoding = request.content_encoding;
  if (encoding.empty() || encoding == "identity") return std::nullopt;
  if (encoding != "gzip") {
    return error_response(415, "bad_encoding", "expected gzip or no Content-Encoding");
  }
  const std::size_t expansion = std::max(kAlwaysUnpacked, kMaxExpansion * request.body.size());
  std::string text;
  switch (inflate_gzip(request.body, std::min(options_.max_body_bytes, expansion), text)) {
    case Inflated::kTooLarge:
      if (expansion < options_.max_body_bytes) {
        refusals_.count(Refusal::kExpansion);
        return error_response(413, "too_large",
                              "the body unpacks to more than " + std::to_string(kMaxExpansion) +
                                  " times its size; send it in smaller pieces, or not packed");
      }
      return error_response(
          413, "too_large",
          "the body is more than " + std::to_string(options_.max_body_bytes) + " bytes");
    case Inflated::kDamaged:
      return error_response(400, "bad_gzip", "the body is not gzip");
    case Inflated::kOk:
      request.body.swap(text);
  }
  return std::nullopt;
}

std::optional<ApiResponse> ReportCalls::refuse_rate(RateVerdict verdict) {
  switch (verdict) {
    case RateVerdict::kTooManyBytes:
      refusals_.count(Refusal::kLineRate);
      return retry_response(429, "rate", "too many bytes from this address; send this later", 10);
    case RateVerdict::kTooManyLines:
      refusals_.count(Refusal::kLineRate);
      return retry_response(429, "rate", "too many lines from this address; send this later", 10);
    case RateVerdict::kTooManyEnrolments:
      refusals_.count(Refusal::kEnrolmentRate);
      return retry_response(429, "rate",
                            "too many devices enrol from this address; send this later", 60);
    case RateVerdict::kTaken:
      break;
  }
  return std::nullopt;
}

void ReportCalls::take(Call call, const Respond& respond) {
  const bool packed = !call.request.content_encoding.empty();
  const std::size_t size = call.request.body.size();
  const std::size_t unpacked = std::max(kAlwaysUnpacked, size * kMaxExpansion);
  const std::size_t bytes = packed ? std::min(unpacked, options_.max_body_bytes) : size;
  if (bytes < kBatchBody) return take_now(std::move(call), respond);
  take_in_turn(bytes < kLargeBody ? batches_ : large_, bytes, std::move(call), respond);
}

void ReportCalls::take_in_turn(WorkThread& thread, std::size_t bytes, Call call,
                               const Respond& respond) {
  const auto shared = std::make_shared<Call>(std::move(call));
  const std::uint32_t owner = owners_.of(shared->request.address);
  const bool posted = thread.post(owner, bytes, [this, shared, respond] {
    answer_or_fail(respond, options_.say,
                   [&](const Respond& once) { take_now(std::move(*shared), once); });
  });
  if (!posted) {
    respond(retry_response(
        429, "busy", "too many large bodies from this address are waiting; send this again", 1));
  }
}

void ReportCalls::take_sections(Call call, const Respond& respond) {
  if (auto refused = unpack(call.request)) return respond(*std::move(refused));
  const std::string body = std::move(call.request.body);
  const Result<std::vector<MetricSection>> sections = split_sections(body);
  if (!sections) return respond(error_response(400, "bad_sections", sections.error().message));
  struct Gathered {
    std::vector<std::string> metrics;
    std::vector<ApiResponse> responses;
    std::atomic<std::size_t> left;
  };
  const auto gathered = std::make_shared<Gathered>();
  gathered->responses.resize(sections->size());
  gathered->left = sections->size();
  for (const MetricSection& section : *sections) gathered->metrics.push_back(section.metric);
  call.request.content_encoding.clear();
  for (std::size_t i = 0; i < sections->size(); ++i) {
    Call one{call.request, call.target, (*sections)[i].metric};
    one.request.body = (*sections)[i].lines;
    take_now(std::move(one), [gathered, i, respond](ApiResponse response) {
      gathered->responses[i] = std::move(response);
      if (--gathered->left > 0) return;
      ApiResponse all;
      // Not here: this may be the writer's thread.
      all.make_body = [gathered] {
        std::vector<SectionAnswer> answers;
        for (std::size_t at = 0; at < gathered->metrics.size(); ++at) {
          ApiResponse& each = gathered->responses[at];
          each.finish();
          answers.push_back({gathered->metrics[at], each.status, std::move(each.body)});
        }
        return to_json(answers) + '\n';
      };
      respond(std::move(all));
    });
  }
}

ApiResponse ReportCalls::refuse_closed(const Call& call, const Plan& plan) {
  const ReportLines parsed = parse_report_lines(call.request.body, plan, true);
  if (parsed.refusal) return *parsed.refusal;
  ReportAnswer answer;
  answer.counts.rejected = parsed.messages.size() + parsed.too_long.size();
  for (const std::uint32_t line : parsed.lines) {
    answer.add({line, std::string(name_of(Reason::kClosed)), 0, {}});
  }
  const ReportAnswer all = merged(parsed.errors, std::move(answer));
  line_errors_.count(all);
  return json_response(to_json(all));
}

void ReportCalls::take_of_season(Call call, const Respond& respond) {
  const std::optional<SeasonName> name = season_named(call.argument);
  const std::shared_ptr<const MetricSnapshot> endless =
      name ? writer_.snapshot()->find(name->metric) : nullptr;
  if (endless == nullptr || !endless->definition->seasons) {
    return respond(no_such_metric(name && endless == nullptr ? name->metric : call.argument));
  }
  const MetricDefinition& definition = *endless->definition;
  const Calendar& calendar = *definition.seasons;
  const Instant now = options_.now();
  const Period current = endless->current_period(now);
  const std::int64_t first_live = current == 0 ? 0 : calendar.first_live(current);
  // The first device of a season may be late too: any season counts until its grace period is over.
  const bool is_over = calendar.last(name->season) + definition.grace < current;
  const bool is_final =
      endless->final_seasons != nullptr && endless->final_seasons->contains(name->season);
  const std::string season = "season " + std::to_string(name->season);
  if (current == 0 || name->season >= first_live + calendar.num_live()) {
    return respond(retry_response(404, "unknown_season",
                                  season + " of metric '" + name->metric + "' has not begun", 60));
  }
  if (endless->is_closed(now) || is_final || is_over) {
    // Only a final season is over whatever the time is. Devices give a closed one up.
    if (!is_final && options_.is_clock_stopped()) return respond(*write_refusal(Written::kClock));
    if (auto refused = unpack(call.request)) return respond(*std::move(refused));
    const std::size_t size = call.request.body.size();
    if (auto refused =
            refuse_rate(rates_.take_bytes(call.request.address, size, steady_seconds()))) {
      return respond(*std::move(refused));
    }
    return respond(refuse_closed(call, definition.plan));
  }
  const auto shared = std::make_shared<Call>(std::move(call));
  writer_.create(season_metric(definition, name->season),
                 [this, shared, respond](const WriteAnswer& answer) {
                   if (auto no = write_refusal(answer.written)) return respond(*std::move(no));
                   if (writer_.snapshot()->find(shared->argument) == nullptr) {
                     return respond(no_such_metric(shared->argument));
                   }
                   // Not here: this is the writer's thread.
                   const std::size_t size = shared->request.body.size();
                   take_in_turn(batches_, size, std::move(*shared), respond);
                 });
}

void ReportCalls::take_now(Call call, const Respond& respond) {
  if (call.argument.empty()) return take_sections(std::move(call), respond);
  const std::shared_ptr<const MetricSnapshot> metric = writer_.snapshot()->find(call.argument);
  if (metric == nullptr) return take_of_season(std::move(call), respond);
  if (metric->definition->seasons) {
    return respond(error_response(409, "has_seasons",
                                  "metric '" + call.argument +
                                      "' has seasons; send reports to /v1/metrics/" +
                                      call.argument + "/seasons/{season}/reports"));
  }
  if (auto refused = unpack(call.request)) return respond(*std::move(refused));
  const std::string& body = call.request.body;
  const Address& address = call.request.address;
  if (auto refused = refuse_rate(rates_.take_bytes(address, body.size(), steady_seconds()))) {
    return respond(*std::move(refused));
  }
  const MetricDefinition& definition = *metric->definition;
  ReportLines parsed = parse_report_lines(body, definition.plan, options_.demo || definition.test);
  if (parsed.too_many_bad_lines) refusals_.count(Refusal::kBadLines);
  if (parsed.refusal) return respond(*std::move(parsed.refusal));
  const std::uint64_t lines =
      parsed.messages.size() + parsed.errors.size() + parsed.too_long.size();
  if (auto refused =
          refuse_rate(rates_.take(address, lines, parsed.enrolments, steady_seconds()))) {
    return respond(*std::move(refused));
  }
  const std::size_t bytes = sizeof(Message) * parsed.messages.capacity() + body.size() + 256;
  Batch batch{metric->number, std::move(parsed.messages), std::move(parsed.lines),
              parsed.errors.size(), std::move(parsed.too_long)};
  writer_.write(std::move(batch), bytes,
                [this, respond, malformed = std::move(parsed.errors)](WriteAnswer answer) mutable {
                  if (auto no = write_refusal(answer.written)) return respond(*std::move(no));
                  ApiResponse response;
                  // Not here: this is the writer's thread.
                  response.make_body = [this, malformed = std::move(malformed),
                                        folded = std::move(answer.batch)]() mutable {
                    const ReportAnswer all = merged(std::move(malformed), std::move(folded));
                    line_errors_.count(all);
                    return to_json(all) + '\n';
                  };
                  respond(std::move(response));
                });
}

}  // namespace futurerand
