#include "futurerand/simulator/engines/run_rows.hpp"

#include <cmath>
#include <memory>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/simulator/engines/bit_counter.hpp"
#include "futurerand/simulator/engines/draw_innovation.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

// How many reports of each row and period were minus, or zero symbols.
class RowReports {
 public:
  RowReports(std::size_t num_codes, Period num_periods, bool may_be_zero)
      : words_((std::size_t{num_periods} + 63) / 64),
        minus_(num_codes * words_),
        silent_(may_be_zero ? minus_.size() : 0),
        devices_(num_codes) {}

  void join(CodingRow row) { ++devices_[row]; }
  void add(CodingRow row, const SignRun& run) {
    const std::size_t word = row * words_ + (run.first_index - 1) / 64;
    const std::uint32_t position = (run.first_index - 1) % 64;
    minus_[word].add(run.minus << position);
    if (!silent_.empty()) silent_[word].add(run.silent << position);
  }
  void merge(const RowReports& other) {
    for (std::size_t i = 0; i < minus_.size(); ++i) minus_[i].merge(other.minus_[i]);
    for (std::size_t i = 0; i < silent_.size(); ++i) silent_[i].merge(other.silent_[i]);
    for (std::size_t i = 0; i < devices_.size(); ++i) devices_[i] += other.devices_[i];
  }

  std::uint64_t devices(CodingRow row) const { return devices_[row]; }
  IndexSum at(CodingRow row, Period t) const {
    const std::size_t word = row * words_ + (t - 1) / 64;
    const std::uint32_t position = (t - 1) % 64;
    const std::uint64_t silent = silent_.empty() ? 0 : silent_[word].count(position);
    const std::uint64_t nonzero = devices_[row] - silent;
    return {static_cast<std::int64_t>(nonzero) -
                2 * static_cast<std::int64_t>(minus_[word].count(position)),
            devices_[row], nonzero};
  }

  static std::uint64_t bytes(std::size_t num_codes, Period num_periods, bool may_be_zero) {
    return num_codes * ((std::uint64_t{num_periods} + 63) / 64) * sizeof(BitCounter) *
           (may_be_zero ? 2 : 1);
  }

 private:
  std::size_t words_;
  std::vector<BitCounter> minus_, silent_;  // 64 periods a counter, row by row
  std::vector<std::uint64_t> devices_;
};

struct ReceivedRows {
  RowReports rows;
  std::uint64_t clipped_users = 0;
  // Each worker opens its own; a copy of the zero has none yet.
  std::shared_ptr<RandomSource> entropy;
  Values states;  // of the user at hand
  bool failed = false;

  void merge(const ReceivedRows& other) {
    rows.merge(other.rows);
    clipped_users += other.clipped_users;
    failed |= other.failed;
  }
};

bool receive_row(const CertifiedPlan& plan, Engine engine, const Values& codes,
                 std::uint64_t row_bits, RandomSource& source, ReceivedRows& received) {
  const CodingRow row = row_from_bits(plan.plan().coding, row_bits);
  Values& states = received.states;
  states_of(row, codes, states);
  received.rows.join(row);
  if (states.size() > plan.plan().max_changes + std::size_t{1}) ++received.clipped_users;
  const auto emit = [&](const SignRun& run) { received.rows.add(row, run); };
  if (engine == Engine::kSums) {
    draw_innovation(plan, states, source, emit);
    return true;
  }
  Result<Device> device = Device::join(plan, 1, source);
  return device && run_device(*device, states, source, emit);
}

// psi(t) - 1/2 is the sum over s <= t of weight(t - s) report_s, and so is its sum over the devices
// of a row. It is rounded once for all of them.
PresenceTable table_of(const RowReports& rows, const Presence& empty) {
  const DeviceEstimate& estimate = empty.estimate();
  const Period periods = empty.num_periods();
  const std::vector<double>& weights = estimate.weights();
  const double unit = estimate.devices(1);
  PresenceTable table = empty.tables().front();
  for (RowSums& at : table.rows) at.reported.resize(empty.num_codes());
  std::vector<double> sums(periods);
  for (CodingRow row = 1; row < empty.num_codes(); ++row) {
    const auto devices = static_cast<std::int64_t>(rows.devices(row));
    if (devices == 0) continue;
    for (Period t = 0; t < periods; ++t) sums[t] = static_cast<double>(rows.at(row, t + 1).sum);
    for (Period t = 0; t < periods; ++t) {
      double total = 0;
      for (Period s = 0; s <= t; ++s) total += weights[t - s] * sums[s];
      const std::int64_t units = std::llround(total / unit);
      table.rows[t].reported[row] = units;
      table.reported[t] +=
          {units + devices * estimate.half(), devices * estimate.variance(t + 1), devices};
    }
  }
  return table;
}

}  // namespace

void states_of(CodingRow row, const Values& codes, Values& states) {
  states.clear();
  for (const ValueFrom& at : codes) {
    const std::uint32_t state = Coding::state(row, at.value);
    if (states.empty() || states.back().value != state) states.push_back({at.period, state});
  }
}

Result<SimulatedRows> run_rows(const CertifiedPlan& plan, const Population& population,
                               const Trial& trial, const Presence& empty) {
  const Plan& terms = plan.plan();
  const bool zeros = may_be_zero(terms.views.front().law);
  const std::uint64_t bytes =
      trial.workers.size() * RowReports::bytes(empty.num_codes(), terms.num_periods, zeros);
  if (bytes > kMostRowBytes) {
    return Error{"so many labels and periods take " + std::to_string(bytes >> 20) +
                 " MiB to simulate; expected at most " + std::to_string(kMostRowBytes >> 20) +
                 ", so fewer of them, or fewer threads"};
  }
  const ReceivedRows zero{RowReports(empty.num_codes(), terms.num_periods, zeros), 0, nullptr, {}};
  ReceivedRows received = fold_users<Values>(
      population, trial.workers, zero,
      [&](ReceivedRows& sum, std::uint64_t user, const Values& codes) {
        if (sum.failed) return;
        if (trial.entropy && trial.engine == Engine::kUsers) {
          if (!sum.entropy) sum.entropy = trial.entropy();
          std::uint64_t row_bits = 0;
          sum.failed = !sum.entropy->fill({&row_bits, 1}) ||
                       !receive_row(plan, Engine::kUsers, codes, row_bits, *sum.entropy, sum);
          return;
        }
        PhiloxSource ids(trial.key, Stream::kPublicSeed, trial.number, user);
        PhiloxSource source(trial.key, Stream::kDevice, trial.number, user);
        sum.failed = !receive_row(plan, trial.engine, codes, ids.word(), source, sum);
      });
  if (received.failed) {
    return Error{"the devices' source of randomness failed; nothing was sent",
                 ErrorCode::kNoEntropy};
  }
  SimulatedRows rows{{Sums(terms), received.clipped_users}, empty};
  if (trial.workers.cancelled()) return rows;
  for (CodingRow row = 1; row < empty.num_codes(); ++row) {
    rows.simulated.sums.enrol(0, 1, 0, received.rows.devices(row));
    for (Period t = 1; t <= terms.num_periods; ++t) {
      rows.simulated.sums.add(0, t, received.rows.at(row, t));
    }
  }
  rows.presence.merge({table_of(received.rows, empty)});
  return rows;
}

}  // namespace futurerand
