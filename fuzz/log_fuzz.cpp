// A damaged disk may give anything back: files of the log, marks, checkpoints and their pieces,
// and groups. They are rejected or read, and nothing else happens.
#include <cstdint>
#include <string>
#include <string_view>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/log/checkpoint_file.hpp"
#include "futurerand/collector/log/high_water_mark.hpp"
#include "futurerand/collector/log/log_file.hpp"
#include "futurerand/collector/writer/state.hpp"
#include "futurerand/wire/metric_request.hpp"

namespace {

using namespace futurerand;

void scan(std::string_view file, const LogFileHeader& header) {
  LogScan scan(file, header);
  std::uint64_t sequence = scan.sequence();
  for (std::string_view group; scan.next(group);) {
    if (scan.sequence() != ++sequence) __builtin_trap();
    if (group.data() < file.data() || group.data() + group.size() > file.data() + file.size()) {
      __builtin_trap();
    }
  }
  if (scan.damaged() && scan.clean_end()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const Result<LogFileHeader> header = read_log_file_header(bytes)) scan(bytes, *header);
  // The bytes also stand behind a good header, and behind a good record, because checksums are hard
  // to guess.
  const LogFileHeader header{1, 2};
  std::string file = log_file_header(header);
  scan(file + std::string(bytes), header);
  file += log_record_header(header.salt, 1, bytes) + std::string(bytes);
  scan(file, header);
  (void)read_high_water_mark(bytes);
  (void)read_checkpoint(bytes, 1, [](const CheckpointPiece&) { return Status(); });

  static const Plan plan = *make_plan(Protocol::kOptimal, 16, 2, *Epsilon::parse("1"));
  State state({1, 2});
  state.create(*define_metric(
      "m", R"({"periods":16,"max_changes":2,"epsilon":"1","protocol":"optimal","clock":"manual"})",
      Instant{}));
  state.create(*define_metric(  // it keeps each device's reports
      "n",
      R"({"periods":16,"max_changes":2,"epsilon":"1","protocol":"innovation","clock":"manual"})",
      Instant{}));
  (void)state.apply(1, bytes);
  Fold fold(plan, {3, 4});
  (void)FoldCheckpoint::load(0, bytes, fold);
  (void)FoldCheckpoint::load(1 + (size > 0 ? data[0] : 0), bytes, fold);
  static const Plan innovation = *make_plan(Protocol::kInnovation, 16, 2, *Epsilon::parse("1"));
  static const std::optional<Presence> empty = empty_presence(innovation, true);
  Fold present(innovation, {3, 4}, empty);
  (void)FoldCheckpoint::load(1 + (size > 0 ? data[0] : 0), bytes, present);
  Fold closed(innovation, {3, 4}, empty);
  (void)FoldCheckpoint::load(0, bytes, closed);
  return 0;
}
