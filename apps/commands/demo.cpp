// Runs the whole loop as a story for newcomers: devices, their lines, a collector over loopback
// HTTP, and its estimates.
#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress_bar.hpp"
#include "apps/commands/commands.hpp"
#include "apps/fleet/demo_collector.hpp"
#include "apps/report/chart.hpp"
#include "futurerand/client/complete_run.hpp"
#include "futurerand/core/plan/plan_certificate.hpp"
#include "futurerand/documents/captions.hpp"
#include "futurerand/entropy/system_entropy.hpp"
#include "futurerand/simulator/populations/flips.hpp"
#include "futurerand/simulator/populations/population.hpp"
#include "futurerand/simulator/populations/workers.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::apps {
namespace {

constexpr std::uint64_t kUsers = 100'000;
constexpr Period kPeriods = 64;
constexpr std::uint32_t kChanges = 2;
constexpr double kLevel = 0.95;
constexpr std::uint64_t kPopulationSeed = 2022;  // the people are made up; their noise is not

std::string held(const Flips& flips) {
  std::string values;
  for (Period t = 1; t <= kPeriods; ++t) values += value_at(flips, t) ? '1' : '0';
  return values;
}

void show_device(const Flips& flips, const CompleteRun& run) {
  fmt::print("ON ONE DEVICE\n");
  fmt::print("  It held, week by week (0 no, 1 yes), and never sends:\n    {}\n", held(flips));
  fmt::print("  Each week it reported the innovation of its value in one noisy sign, and sent:\n");
  fmt::print("    {}\n    {}\n", to_line(run.enrolment), to_line(run.report));
  fmt::print(
      "  Without a change most signs are fair coins. Around a change, noise drawn in advance\n  "
      "hides it. The certificate below bounds the information in these lines.\n\n");
}

void show_server(const std::vector<AnswerRow>& periods, std::uint64_t bits,
                 const std::vector<double>& truth) {
  std::vector<ChartPoint> points;
  double squares = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const AnswerRow& period = periods.at(i);
    points.push_back({truth[i], period.estimate, period.band.lower, period.band.upper});
    squares += (points[i].estimate - truth[i]) * (points[i].estimate - truth[i]);
  }
  fmt::print(
      "ON THE SERVER\n  {} bits from {} devices, sent over HTTP, on disk and added up:\n\n{}\n",
      with_commas(static_cast<double>(bits)), with_commas(kUsers), draw_chart(points, kLevel));
  const ChartPoint& last = points.back();
  fmt::print("  In week {} about {} people hold a yes (between {} and {}, {:g}%); truly {}.\n",
             kPeriods, with_commas(last.estimate), with_commas(last.lower), with_commas(last.upper),
             100 * kLevel, with_commas(last.truth));
  const double rmse = std::sqrt(squares / kPeriods);
  fmt::print("  Typical error of a week: {} people, {:.1f}% of all.\n\n", with_commas(rmse),
             100 * rmse / static_cast<double>(kUsers));
}

void show_certificate(const Plan& plan) {
  const PlanCertificate certificate = or_bad_input(certify(plan));
  fmt::print("THE CERTIFICATE\n");
  fmt::print(
      "  {}: at most {} changes each, epsilon {} over all {} weeks together. Every device\n"
      "  checks this itself, in exact integers, before it joins: {}.\n",
      name_of(plan.protocol), plan.max_changes, plan.epsilon.text(), plan.num_periods,
      certificate.certified() ? "certified" : "NOT CERTIFIED");
  const double loss = certificate.exact_epsilon();
  fmt::print(
      "  Take any two histories of one person. No lines are more than e^{:.4g} = {:.3f} times\n  "
      "likelier under one than under the other.\n",
      loss, std::exp(loss));
  fmt::print("\nNext: futurerand compare --population adoption --html compare.html\n");
}

void run() {
  catch_interrupts();
  const Plan plan =
      or_bad_input(make_plan(Protocol::kInnovation, kPeriods, kChanges, *Epsilon::parse("1")));
  const CertifiedPlan certified = or_bad_input(CertifiedPlan::create(plan));
  const Population people = or_bad_input(Population::named(
      "adoption", {kUsers, kPeriods, kChanges}, SimulationKey::from_seed(kPopulationSeed)));
  fmt::print(
      "How many of {} people use a new feature, week by week, without learning who?\nThe people "
      "are simulated. Devices, noise, lines and estimates are real.\n\n",
      with_commas(kUsers));

  SystemEntropy entropy;
  DemoCollector collector(plan);
  std::uint64_t bits = 0;
  Flips flips;
  Flips example;
  std::optional<CompleteRun> example_run;
  {
    ProgressBar progress("demo");
    for (std::uint64_t user = 0; user < kUsers; ++user) {
      people.draw(user, flips);
      Result<CompleteRun> run = CompleteRun::of(certified, FlippedValues(flips), entropy);
      if (!run) throw failed(run.error().message);
      collector.send(to_line(run->enrolment));
      collector.send(to_line(run->report));
      bits += run->report.signs.size();
      if (!example_run && !flips.empty()) {  // the one to show: someone who changed
        example = flips;
        example_run = *std::move(run);
      }
      if (user % 1024 == 0) {
        stop_if_interrupted();
        progress.show(static_cast<double>(user) / kUsers);
      }
    }
  }
  collector.flush();
  if (example_run) show_device(example, *example_run);
  show_server(collector.estimates(kLevel), bits, true_counts(people, Workers(1)));
  show_certificate(plan);
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "demo", "Run the whole loop in a few seconds: devices, their lines, the estimates");
  command->footer("Example: futurerand demo");
  command->callback([] { run(); });
}

}  // namespace futurerand::apps
