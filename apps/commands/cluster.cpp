#include "futurerand/collector/cluster/cluster.hpp"

#include <memory>
#include <string>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "apps/cli/failure.hpp"
#include "apps/cli/flags.hpp"
#include "apps/commands/cluster_file.hpp"
#include "apps/commands/commands.hpp"
#include "futurerand/collector/cluster/cluster_status.hpp"
#include "futurerand/collector/cluster/transfer.hpp"
#include "futurerand/documents/captions.hpp"

namespace futurerand::apps {
namespace {

struct ClusterFlags {
  std::string file;
  std::uint32_t shards = 64;
  std::uint32_t lease_ms = 10'000;
  std::string address;
  std::string data;
  bool undo = false;
  Format format = Format::kText;
};

template <typename T>
T or_failed(Result<T> result) {
  if (!result) throw failed(result.error().message);
  return *std::move(result);
}

void init(const ClusterFlags& flags) {
  const ClusterFile file = read_cluster_file(flags.file);
  const auto databases = databases_of(file);
  const ClusterTerms terms{file.id(), static_cast<std::uint32_t>(databases.size()), flags.shards,
                           flags.lease_ms};
  for (const auto& database : databases) {
    if (const Status made = database->create(terms); !made) throw failed(made.error().message);
  }
  fmt::print("the cluster has {} in {}\n", counted(terms.shards, "shard"),
             counted(databases.size(), "database"));
}

void print_text(const ClusterStatus& status) {
  fmt::print("{}, {} without a collector; {}; a start would replay {}\n",
             counted(status.terms.shards, "shard"), status.free_shards(),
             counted(status.metrics, "metric"), counted(status.groups_to_replay(), "group"));
  fmt::print("\n{:<28} {:>7}  state\n", "collector", "shards");
  const auto json = nlohmann::json::parse(to_json(status));
  for (const auto& one : json["collectors"]) {
    const bool alive = one["alive"].get<bool>();
    fmt::print("{:<28} {:>7}  {}\n", one["address"].get<std::string>(),
               one["shards"].get<std::uint64_t>(),
               !alive                        ? "gone"
               : one["draining"].get<bool>() ? "draining"
                                             : "alive");
  }
  fmt::print("\n{:<12} {:>12} {:>12} {:>12}  says\n", "database", "log bytes", "checkpoints",
             "sums");
  for (const DatabaseStatus& one : status.databases) {
    fmt::print("{:<12} {:>12} {:>12} {:>12}  {}\n", one.number, one.log_bytes, one.checkpoint_bytes,
               one.sums_bytes, one.error.empty() ? one.durability : one.error);
  }
}

void show_status(const ClusterFlags& flags) {
  const ClusterStatus status =
      or_failed(read_cluster_status(databases_of(read_cluster_file(flags.file))));
  if (flags.format == Format::kJson) {
    fmt::print("{}\n", nlohmann::ordered_json::parse(to_json(status)).dump(2));
  } else {
    print_text(status);
  }
}

void drain(const ClusterFlags& flags) {
  const auto databases = databases_of(read_cluster_file(flags.file));
  if (!or_failed(drain_collector(*databases[0], flags.address, !flags.undo))) {
    throw bad_input("no collector has the address '" + flags.address +
                    "'; expected one listed by 'cluster status'");
  }
  fmt::print("the collector at {} {}\n", flags.address,
             flags.undo ? "accepts shards again" : "hands over its shards and accepts no new ones");
}

void print_moved(const Transferred& moved) {
  fmt::print("moved {} with {}; they may still report\n", counted(moved.metrics, "metric"),
             counted(moved.devices, "device"));
}

const Say kSay = [](Event, const std::string& line) { fmt::print(stderr, "{}\n", line); };

void import_from(const ClusterFlags& flags) {
  print_moved(or_failed(import_folder(flags.data, databases_of(read_cluster_file(flags.file)),
                                      HashKey::random(), kSay)));
}

void export_to(const ClusterFlags& flags) {
  print_moved(or_failed(export_folder(databases_of(read_cluster_file(flags.file)), flags.data,
                                      HashKey::random(), kSay)));
}

CLI::App* add_one(CLI::App& cluster, const char* name, const char* what,
                  const std::shared_ptr<ClusterFlags>& flags,
                  void (*run)(const ClusterFlags& flags)) {
  CLI::App* command = cluster.add_subcommand(name, what);
  command->add_option("file", flags->file, "the cluster file")->required()->type_name("FILE");
  command->callback([flags, run] { run(*flags); });
  return command;
}

}  // namespace

void add_cluster(CLI::App& app) {
  const auto flags = std::make_shared<ClusterFlags>();
  CLI::App* cluster =
      app.add_subcommand("cluster", "Create and manage a cluster of collectors over PostgreSQL");
  cluster->require_subcommand(1);
  CLI::App* made = add_one(*cluster, "init", "Create the tables of a new cluster", flags, init);
  made->add_option("--shards", flags->shards, "number of shards of devices; never changes")
      ->check(CLI::Range(1U, 4096U))
      ->capture_default_str();
  made->add_option("--lease-ms", flags->lease_ms, "time after which a silent collector is replaced")
      ->check(CLI::Range(500U, 3'600'000U))
      ->capture_default_str();
  made->footer("Example: futurerand cluster init cluster.json");
  CLI::App* status = add_one(*cluster, "status", "Show the owners, sizes and lags of all shards",
                             flags, show_status);
  add_format(*status, flags->format);
  status->footer("Example: futurerand cluster status cluster.json --format json");
  CLI::App* drained =
      add_one(*cluster, "drain", "Make a collector hand over its shards", flags, drain);
  drained
      ->add_option("address", flags->address,
                   "address of the collector, as listed by 'cluster status'")
      ->required()
      ->type_name("HOST:PORT");
  drained->add_flag("--undo", flags->undo, "let it accept shards again");
  drained->footer("Example: futurerand cluster drain cluster.json 10.0.0.7:8080");
  CLI::App* imported =
      add_one(*cluster, "import", "Move the data folder of a collector into a new cluster", flags,
              import_from);
  imported->add_option("--data", flags->data, "the data folder; its collector must not run")
      ->required()
      ->type_name("DIR");
  imported->footer("Example: futurerand cluster import cluster.json --data data");
  CLI::App* exported =
      add_one(*cluster, "export", "Write everything counted by a cluster into a data folder", flags,
              export_to);
  exported
      ->add_option("--data", flags->data,
                   "the new data folder; no collector of the cluster may run")
      ->required()
      ->type_name("DIR");
  exported->footer("Example: futurerand cluster export cluster.json --data data");
  cluster->footer("Example: futurerand cluster status cluster.json");
}

}  // namespace futurerand::apps
