// POST /v1/metrics/{name}/reports: lines in, what became of each out.
//
// Thread safety: all of it.
#pragma once

#include <cstddef>

#include "futurerand/collector/api/route_table.hpp"
#include "futurerand/collector/writer/writer.hpp"

namespace futurerand {

class ReportCalls {
 public:
  // The writer outlives the calls. `demo` takes seeded lines for every metric.
  ReportCalls(bool demo, std::size_t max_body_bytes, Writer& writer)
      : demo_(demo), max_body_bytes_(max_body_bytes), writer_(writer) {}

  void take(Call call, const Respond& respond);

 private:
  // Replaces a compressed body by its text; an answer if that cannot be.
  std::optional<ApiResponse> unpack(ApiRequest& request) const;

  const bool demo_;
  const std::size_t max_body_bytes_;  // after decompression
  Writer& writer_;
};

}  // namespace futurerand
