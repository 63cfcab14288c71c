// `futurerand device show DIR`: a device's sent and waiting lines, and their cost. For users and
// reviewers.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/cli/text_sink.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/client/file_state_store.hpp"
#include "futurerand/client/history.hpp"

namespace futurerand::apps {
namespace {

struct DeviceFlags {
  std::string folder;
  Format format = Format::kText;
};

}  // namespace

void add_device(CLI::App& app) {
  const auto flags = std::make_shared<DeviceFlags>();
  CLI::App* device = app.add_subcommand("device", "Show the state of a device on this machine");
  device->require_subcommand(1);
  device->footer("Example: futurerand device show device-state");
  CLI::App* show = device->add_subcommand("show", "Show sent and waiting lines, and their cost");
  show->add_option("DIR", flags->folder, "the device's state folder")->required()->type_name("");
  add_format(*show, flags->format);
  show->footer("Example: futurerand device show device-state --format json");
  show->callback([flags] {
    if (!std::filesystem::exists(std::filesystem::path(flags->folder) / "ledger")) {
      throw bad_input("there is no ledger in '" + flags->folder +
                      "'; expected the state folder of a device with a metric");
    }
    FileStateStore store = or_bad_input(FileStateStore::open(flags->folder));
    const Ledger ledger = or_bad_input(Ledger::open_as_saved(store));
    const DeviceHistory history = or_bad_input(read_history(ledger, store));
    fmt::print("{}", flags->format == Format::kJson ? to_json(history) + "\n" : to_text(history));
  });
}

}  // namespace futurerand::apps
