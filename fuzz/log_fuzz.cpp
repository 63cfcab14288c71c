// What a damaged disk may give back: log files, groups and pieces of checkpoints. Refused or read,
// never more than that.
#include <cstdint>
#include <string_view>

#include "futurerand/collector/fold/fold_checkpoint.hpp"
#include "futurerand/collector/log/wal_scan.hpp"
#include "futurerand/collector/writer/state.hpp"
#include "futurerand/wire/metric_request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace futurerand;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const WalScan scan = scan_wal(bytes);
  if (scan.offset > size) __builtin_trap();
  static const Plan plan = *make_plan(Protocol::kOptimal, 16, 2, *Epsilon::parse("1"));
  State state({1, 2});
  state.create(*define_metric(
      "m", R"({"periods":16,"max_changes":2,"epsilon":"1","protocol":"optimal","clock":"manual"})",
      Instant{}));
  (void)state.apply(bytes);
  Fold fold(plan, {3, 4});
  (void)FoldCheckpoint::load(0, bytes, fold);
  (void)FoldCheckpoint::load(1 + (size > 0 ? data[0] : 0), bytes, fold);
  return 0;
}
