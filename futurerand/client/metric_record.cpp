#include "futurerand/client/metric_record.hpp"

#include <algorithm>

#include "futurerand/client/sealed.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kPrefix = "metric-";

}  // namespace

std::string metric_record(std::string_view metric) {
  const Digest digest = blake2b(bytes_of(metric));
  ClientId half;
  std::copy_n(digest.begin(), half.bytes.size(), half.bytes.begin());
  return std::string(kPrefix) + to_hex(half);
}

bool is_metric_record(std::string_view record) {
  return record.starts_with(kPrefix) &&
         record.size() == kPrefix.size() + 2 * sizeof(ClientId::bytes);
}

}  // namespace futurerand
