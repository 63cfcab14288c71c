// GatheredAnswer: joins the answers of several shards to the parts of one batch.
//
// Thread safety: all of it.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include "futurerand/collector/writer/write_request.hpp"

namespace futurerand {

class GatheredAnswer {
 public:
  // `when` is called after the last of this many parts.
  GatheredAnswer(std::size_t parts, WhenWritten when) : left_(parts), when_(std::move(when)) {}

  // Expects this many more parts, because one part was split.
  void expect(std::size_t more);
  // The whole is durable if all parts are. Otherwise it is the first refusal.
  void add(WriteAnswer part);

 private:
  std::mutex mutex_;
  std::size_t left_;
  WriteAnswer all_;
  WhenWritten when_;
};

}  // namespace futurerand
