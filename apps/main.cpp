#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "apps/cli/config_file.hpp"
#include "apps/cli/failure.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/cli/usage_error.hpp"
#include "apps/cli/version.hpp"
#include "apps/commands/commands.hpp"

namespace {

constexpr int kBadUsage = 2;

int complain(int status, std::string message) {
  // Keeps a message on one line, even one of a library.
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  fmt::print(stderr, "futurerand: {}\n", message);
  return status;
}

// CLI11 only reports that a subcommand is required.
void require_known_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  std::string typed = "futurerand";
  for (int word = 1;; ++word) {
    const std::string given = word < argc ? argv[word] : "";
    const CLI::App* found = nullptr;
    std::string names;
    for (const CLI::App* command : at->get_subcommands({})) {
      if (command->get_name() == given) found = command;
      if (command->get_group().empty()) continue;  // hidden
      names += (names.empty() ? "" : ", ") + command->get_name();
    }
    if (names.empty()) return;  // what follows is the command's own
    if (given == "-h" || given == "--help" || (at == &app && given == "--version")) return;
    if (found == nullptr) {
      const std::string wrong = given.empty()     ? "no command"
                                : given[0] == '-' ? "unknown flag '" + given + "'"
                                                  : "unknown command '" + given + "'";
      throw futurerand::apps::bad_input(wrong + "; expected one of " + names + "; see " + typed +
                                        " --help");
    }
    at = found;
    typed += " " + given;
  }
}

// Returns the help of the command in which parsing failed.
std::string help_for(const CLI::App& app) {
  std::string command = "futurerand";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  return command + " --help";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Counts how many people have a feature on, over time, without ever learning who."};
  app.name("futurerand");
  app.set_version_flag("--version", "futurerand " + std::string(futurerand::apps::kVersion));
  app.require_subcommand(1);
  app.footer("Example: futurerand plan --users 100000 --periods 256 --changes 4 --epsilon 1");
#ifdef FUTURERAND_WITH_HTTP
  futurerand::apps::add_demo(app);
#endif
  futurerand::apps::add_plan(app);
  futurerand::apps::add_audit(app);
  futurerand::apps::add_simulate(app);
  futurerand::apps::add_compare(app);
  futurerand::apps::add_randomize(app);
  futurerand::apps::add_estimate(app);
#ifdef FUTURERAND_WITH_HTTP
  futurerand::apps::add_serve(app);
  futurerand::apps::add_metric(app);
  futurerand::apps::add_swarm(app);
#endif
#ifdef FUTURERAND_WITH_CLUSTER
  futurerand::apps::add_cluster(app);
#endif
  futurerand::apps::add_backup(app);
  futurerand::apps::add_device(app);
  futurerand::apps::add_ledger(app);
  futurerand::apps::add_completion(app);
  futurerand::apps::add_manual(app);
  try {
    require_known_command(app, argc, argv);
    std::vector<std::string> arguments =
        futurerand::apps::with_config_file(app, {argv + 1, argv + argc});
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
    app.parse(std::move(arguments));
    futurerand::apps::TextSink("").commit();  // a full disk must not look like success
    return 0;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    return complain(kBadUsage,
                    futurerand::apps::usage_error(app, error) + "; see " + help_for(app));
  } catch (const futurerand::apps::Failure& failure) {
    return complain(failure.status(), failure.what());
  } catch (const std::exception& error) {
    return complain(1, error.what());
  }
}
