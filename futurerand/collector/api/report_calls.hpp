// POST /v1/metrics/{name}/reports, and POST /v1/reports for several metrics: lines in, the outcome
// of each out.
//
// Thread safety: all of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "futurerand/collector/api/address_rates.hpp"
#include "futurerand/collector/api/line_errors.hpp"
#include "futurerand/collector/api/refusals.hpp"
#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/api/work_thread.hpp"
#include "futurerand/collector/writer/intake.hpp"

namespace futurerand {

struct ReportCallOptions {
  std::function<Instant()> now;  // decides which seasons are live
  std::function<bool()> is_clock_stopped;
  bool demo = false;               // accepts seeded lines for every metric
  std::size_t max_body_bytes = 0;  // after decompression
  RateLimits rates;
  Say say = say_nothing;
};

class ReportCalls {
 public:
  // The writer and the refusals outlive the calls.
  ReportCalls(const ReportCallOptions& options, Intake& writer, Refusals& refusals)
      : options_(options),
        writer_(writer),
        refusals_(refusals),
        rates_(options.rates),
        batches_(kBodies),
        large_(kBodies) {}

  // A call without a name has lines of several metrics.
  void take(Call call, const Respond& respond);
  // Lines for GET /metrics.
  std::string prometheus() const { return line_errors_.prometheus(); }
  // Answers requests in progress; later calls are answered by their own thread.
  void stop() {
    batches_.stop();
    large_.stop();
  }

 private:
  // The amount an address may unpack and read in one turn, and the amount that may wait for it.
  static constexpr WorkLimits kBodies{.turn = 64 << 10,
                                      .max_waiting_cost_of_owner = std::uint64_t{64} << 20};

  // Takes a body of at most `bytes`, once unpacked, when it is the turn of its address.
  void take_in_turn(WorkThread& thread, std::size_t bytes, Call call, const Respond& respond);
  void take_now(Call call, const Respond& respond);
  // POST /v1/reports: each section as a call of its own, answered together.
  void take_sections(Call call, const Respond& respond);
  // Accepts reports of a season missing in the snapshot: a live season is created.
  void take_of_season(Call call, const Respond& respond);
  // Answers every line of a final season.
  ApiResponse refuse_closed(const Call& call, const Plan& plan);
  // Replaces a compressed body by its text, or returns an answer if that fails.
  std::optional<ApiResponse> unpack(ApiRequest& request);
  std::optional<ApiResponse> refuse_rate(RateVerdict verdict);

  const ReportCallOptions options_;
  Intake& writer_;
  Refusals& refusals_;
  AddressRates rates_;
  const AddressOwners owners_;
  LineErrors line_errors_;
  WorkThread batches_;
  WorkThread large_;
};

}  // namespace futurerand
