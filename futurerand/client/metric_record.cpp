#include "futurerand/client/metric_record.hpp"

#include <algorithm>

#include "futurerand/client/sealed.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand {
namespace {

constexpr std::string_view kPrefix = "metric-";

std::string record_of(std::string_view text) {
  const Digest digest = blake2b(bytes_of(text));
  ClientId half;
  std::copy_n(digest.begin(), half.bytes.size(), half.bytes.begin());
  return std::string(kPrefix) + to_hex(half);
}

}  // namespace

std::string metric_record(std::string_view metric) { return record_of(metric); }

std::string season_record(std::string_view metric, std::uint32_t slot) {
  // No metric's name has a NUL.
  return record_of(std::string(metric) + '\0' + std::to_string(slot));
}

bool is_metric_record(std::string_view record) {
  return record.starts_with(kPrefix) &&
         record.size() == kPrefix.size() + 2 * sizeof(ClientId::bytes);
}

}  // namespace futurerand
