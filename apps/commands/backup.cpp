#include "futurerand/collector/log/backup.hpp"

#include <memory>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "apps/cli/failure.hpp"
#include "apps/commands/commands.hpp"

namespace futurerand::apps {
namespace {

struct BackupFlags {
  std::string data;
  std::string backup;
};

BackupSummary or_failed(const Result<BackupSummary>& done) {
  if (!done) throw failed(done.error().message);
  return *done;
}

}  // namespace

void add_backup(CLI::App& app) {
  const auto flags = std::make_shared<BackupFlags>();
  CLI::App* backup = app.add_subcommand(
      "backup", "Copy a collector's data folder, even while the collector serves");
  backup->add_option("--data", flags->data, "the collector's data folder")
      ->required()
      ->type_name("DIR");
  backup->add_option("--to", flags->backup, "folder for the backup, empty or missing")
      ->required()
      ->type_name("DIR");
  backup->footer("Example: futurerand backup --data data --to backup-$(date +%F)");
  backup->callback([flags] {
    // The collector and its devices come first. It is done without this too.
    (void)!nice(19);
    const BackupSummary done = or_failed(back_up(flags->data, flags->backup));
    fmt::print("{} has everything up to commit {}, {} bytes\n", flags->backup, done.last_group,
               done.bytes);
  });

  CLI::App* restore = app.add_subcommand("restore", "Create a data folder from a backup");
  restore->add_option("--from", flags->backup, "a folder written by `backup`")
      ->required()
      ->type_name("DIR");
  restore->add_option("--data", flags->data, "the new data folder, empty or missing")
      ->required()
      ->type_name("DIR");
  restore->footer("Example: futurerand restore --from backup-2026-01-31 --data data");
  restore->callback([flags] {
    const BackupSummary done = or_failed(restore_backup(flags->backup, flags->data));
    fmt::print("{} has the state after commit {}, {} bytes\n", flags->data, done.last_group,
               done.bytes);
  });
}

}  // namespace futurerand::apps
