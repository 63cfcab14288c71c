// `futurerand ledger DIR`: the budget of a device. Spent, left, and the time of the next metric.
#include "futurerand/client/ledger.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/utc_time.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::apps {
namespace {

struct LedgerFlags {
  std::string folder;
  std::string epsilon;
  Format format = Format::kText;
};

// Empty for an unknown time.
std::optional<std::string> time_text(std::int64_t seconds) {
  constexpr std::int64_t kYear9999 = 253'402'300'799;
  if (seconds <= 0 || seconds > kYear9999) return std::nullopt;
  return utc_text(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

std::string left_text(const Epsilon& budget, std::int64_t spent) {
  return budget_text(std::max<std::int64_t>(0, budget.nanos() - spent));
}

struct NextFit {
  Epsilon epsilon;
  std::optional<std::int64_t> from;
};

std::string json_of(const Ledger& ledger, const NextFit& next) {
  JsonWriter out;
  const Ledger::Limits& limits = ledger.limits();
  out.begin_object().member("ceiling", limits.ceiling.text());
  out.member("spent", budget_text(ledger.spent_nanos()));
  out.member("left", left_text(limits.ceiling, ledger.spent_nanos())).key("window");
  if (limits.window) {
    const std::int64_t spent = ledger.window_nanos(ledger.believed());
    out.begin_object().member("epsilon", limits.window->epsilon.text());
    out.member("seconds", limits.window->seconds).member("spent", budget_text(spent));
    out.member("left", left_text(limits.window->epsilon, spent)).end_object();
  } else {
    out.value(nullptr);
  }
  out.key("next").begin_object().member("epsilon", next.epsilon.text()).key("from");
  out.value(next.from ? time_text(*next.from) : std::nullopt).end_object();
  out.key("metrics").begin_array();
  for (const Ledger::Entry& entry : ledger.entries()) {
    out.begin_object().member("metric", entry.metric).key("season");
    out.value(entry.season == 0 ? std::nullopt : std::optional(entry.season));
    out.member("epsilon", entry.epsilon.text()).key("from").value(time_text(entry.span.from));
    out.key("until").value(time_text(entry.span.until));
    out.member("client", to_hex(entry.client)).end_object();
  }
  out.end_array().key("series").begin_array();
  for (const Ledger::Series& series : ledger.series()) {
    out.begin_object().member("metric", series.metric).member("phase", series.phase);
    out.member("last_season", series.last_season);
    out.member("spent_earlier", budget_text(series.earlier_nanos)).end_object();
  }
  return std::move(out.end_array().end_object()).take() + "\n";
}

std::string text_of(const Ledger& ledger, const NextFit& next) {
  const Ledger::Limits& limits = ledger.limits();
  std::string out = fmt::format("spent   {} of {}, for ever\n", budget_text(ledger.spent_nanos()),
                                limits.ceiling.text());
  if (limits.window) {
    out += fmt::format("window  {} of {} in any {} seconds\n",
                       budget_text(ledger.window_nanos(ledger.believed())),
                       limits.window->epsilon.text(), limits.window->seconds);
  }
  out += fmt::format("next    a metric with epsilon {} {}\n\n", next.epsilon.text(),
                     !next.from ? "never fits"
                     : *next.from <= ledger.believed()
                         ? std::string("fits now")
                         : "fits from " + time_text(*next.from).value_or("-") + " on");
  out += fmt::format("{:<32} {:>7} {:>12}  {:<20}  {:<20}\n", "metric", "season", "epsilon", "from",
                     "until");
  const auto row = [&](const std::string& metric, const std::string& season,
                       const std::string& epsilon, const std::string& from,
                       const std::string& until) {
    out += fmt::format("{:<32} {:>7} {:>12}  {:<20}  {}\n", metric, season, epsilon, from, until);
  };
  for (const Ledger::Series& series : ledger.series()) {
    if (series.earlier_nanos == 0) continue;
    row(series.metric, "earlier", budget_text(series.earlier_nanos), "-",
        time_text(series.earlier_until).value_or("no end"));
  }
  for (const Ledger::Entry& entry : ledger.entries()) {
    row(entry.metric, entry.season == 0 ? "-" : std::to_string(entry.season), entry.epsilon.text(),
        time_text(entry.span.from).value_or("-"), time_text(entry.span.until).value_or("no end"));
  }
  return out;
}

}  // namespace

void add_ledger(CLI::App& app) {
  const auto flags = std::make_shared<LedgerFlags>();
  CLI::App* command = app.add_subcommand(
      "ledger", "Show a device's budget: spent, left, and the next possible join");
  command->add_option("DIR", flags->folder, "the device's state folder")->required()->type_name("");
  command
      ->add_option("--epsilon", flags->epsilon,
                   "the epsilon of the next metric (default: that of the last one)")
      ->type_name("E");
  add_format(*command, flags->format);
  command->footer("Example: futurerand ledger device-state --format json");
  command->callback([flags] {
    if (!std::filesystem::exists(std::filesystem::path(flags->folder) / "ledger")) {
      throw bad_input("there is no ledger in '" + flags->folder +
                      "'; expected the state folder of a device with a metric");
    }
    FileStateStore store = or_bad_input(FileStateStore::open(flags->folder));
    Ledger ledger = or_bad_input(Ledger::open_as_saved(store));
    ledger.believe(std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count());
    const Epsilon epsilon = !flags->epsilon.empty() ? or_bad_input(Epsilon::parse(flags->epsilon))
                            : ledger.entries().empty() ? ledger.limits().ceiling
                                                       : ledger.entries().back().epsilon;
    const NextFit next{epsilon, ledger.fits_from(epsilon)};
    fmt::print("{}",
               flags->format == Format::kJson ? json_of(ledger, next) : text_of(ledger, next));
  });
}

}  // namespace futurerand::apps
