// This is the device side over a file: every user of a values file gets a device of its own, and
// only what that device would send comes out.
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/cli/simulation_flags.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/client/whole_life.hpp"
#include "futurerand/entropy/random_order.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/philox.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::apps {
namespace {

struct RandomizeFlags {
  PlanFlags plan;
  std::string values;
  std::optional<std::uint64_t> users;
  std::optional<std::uint64_t> seed;
  std::string output;
};

// Returns all that one device ever sends.
std::string lines_of(const CertifiedPlan& plan, const std::vector<ValueFrom>& changes,
                     RandomSource& source) {
  const Result<WholeLife> life = WholeLife::live(plan, changes, source);
  if (!life) throw failed(life.error().message);
  return to_lines(*life);
}

std::uint64_t number_of_users(const RandomizeFlags& flags, std::size_t in_file) {
  if (!flags.users) {
    if (in_file == 0) throw bad_input(flags.values + ": no users; expected a row, or --users");
    return in_file;
  }
  if (*flags.users >= in_file) return *flags.users;
  throw bad_input(fmt::format("--users {} is fewer than the {} users of {}; expected at least {}",
                              *flags.users, in_file, flags.values, in_file));
}

void run(const RandomizeFlags& flags) {
  catch_interrupts();
  const CertifiedPlan plan = or_bad_input(CertifiedPlan::create(flags.plan.plan()));
  const std::vector<UserValues> users = read_values(flags.values, flags.plan.periods);
  const std::uint64_t num_users = number_of_users(flags, users.size());
  if (flags.seed) fmt::print(stderr, "futurerand: {}\n", kSeededNote);

  TextSink sink(flags.output);
  sink.write(to_line(Header{plan.plan(), flags.seed.has_value()}) + "\n");
  Progress progress("randomize");
  SystemEntropy entropy;
  // In the file's order the lines would tell who is not in it. Seeded ones are no secret.
  const std::optional<RandomOrder> order = RandomOrder::draw(num_users, entropy);
  if (!order) throw failed("the system's entropy cannot be read");
  for (std::uint64_t place = 0; place < num_users; ++place) {
    const std::uint64_t user = flags.seed ? place : order->at(place);
    static const std::vector<ValueFrom> kHoldsZero;
    const std::vector<ValueFrom>& changes = user < users.size() ? users[user].changes : kHoldsZero;
    if (flags.seed) {
      PhiloxSource seeded(SimulationKey::from_seed(*flags.seed), Stream::kDevice, 0, user);
      sink.write(lines_of(plan, changes, seeded));
    } else {
      sink.write(lines_of(plan, changes, entropy));
    }
    if (place % 256 == 0) {
      stop_if_interrupted();
      progress.show(static_cast<double>(place) / static_cast<double>(num_users));
    }
  }
  stop_if_interrupted();
  sink.commit();
}

}  // namespace

void add_randomize(CLI::App& app) {
  const auto flags = std::make_shared<RandomizeFlags>();
  CLI::App* command = app.add_subcommand(
      "randomize", "The device side over a file: values in, the lines that devices send out");
  flags->plan.add_to(*command, true);
  command
      ->add_option("--values", flags->values,
                   "CSV with the header user,period,value: from that period on the user holds "
                   "that value, 0 before")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--users", flags->users,
                   "how many users there are; those that the file does not name hold 0")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->type_name("N");
  command
      ->add_option("--seed", flags->seed,
                   "makes the lines reproducible, hence not private; they say so")
      ->type_name("S");
  command->add_option("--output", flags->output, "a file instead of standard output")
      ->type_name("FILE");
  command->footer(
      "Example: futurerand randomize --values values.csv --periods 36 --changes 3 --epsilon 1 "
      "--output reports.jsonl");
  command->callback([flags] { run(*flags); });
}

}  // namespace futurerand::apps
