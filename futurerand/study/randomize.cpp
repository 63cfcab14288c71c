#include "futurerand/study/randomize.hpp"

#include "futurerand/client/complete_run.hpp"
#include "futurerand/entropy/random_order.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/populations/philox.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {

Status randomize(const CertifiedPlan& plan, const std::vector<UserValues>& users,
                 std::uint64_t num_users, const std::optional<std::uint64_t>& seed,
                 const std::function<void(std::string_view)>& write, const Progress& progress) {
  write(to_line(Header{plan.plan(), seed.has_value()}) + "\n");
  SystemEntropy entropy;
  const std::optional<RandomOrder> order = RandomOrder::draw(num_users, entropy);
  if (!order) return Error{"the system's entropy cannot be read", ErrorCode::kNoEntropy};
  // Users without values hold 0 if that is known; users of other values join with their first one.
  const std::vector<ValueFrom> holds_zero;
  for (std::uint64_t place = 0; place < num_users; ++place) {
    if (place % 256 == 0) {
      progress.show(static_cast<double>(place) / static_cast<double>(num_users));
      if (progress.stopped()) return interrupted();
    }
    const std::uint64_t user = seed ? place : order->at(place);
    const std::vector<ValueFrom>& changes = user < users.size() ? users[user].changes : holds_zero;
    const auto run_with = [&](RandomSource& source) {
      return CompleteRun::of(plan, changes, source);
    };
    Result<CompleteRun> run = [&] {
      if (!seed) return run_with(entropy);
      PhiloxSource seeded(SimulationKey::from_seed(*seed), Stream::kDevice, 0, user);
      return run_with(seeded);
    }();
    if (!run) return run.error();
    const Segments& segments = plan.plan().segments;
    if (!segments.empty()) {
      run->enrolment.segment = segments.values()[user % segments.num_strata()];
    }
    write(to_lines(*run));
  }
  return progress.stopped() ? Status(interrupted()) : Status();
}

}  // namespace futurerand
