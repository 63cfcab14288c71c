// EventStream: one reader of GET /v1/metrics/{name}/events, who is told of each period that ends
// and of the newest estimate as it changes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "futurerand/collector/api/response.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

class EventStream final : public ResponseStream {
 public:
  // The writer outlives the stream.
  EventStream(Writer& writer, std::string metric, std::function<Instant()> now)
      : writer_(writer), metric_(std::move(metric)), now_(std::move(now)) {}
  std::string next() override;

 private:
  Writer& writer_;
  std::string metric_;
  std::function<Instant()> now_;
  std::uint64_t version_ = 0;
  Period period_ = 0;
  std::string last_;
  Instant last_sent_ = {};
};

}  // namespace futurerand
