// GatheredAnswer: the answers to the parts of one batch, which went to several shards, as one.
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
  // `when` is called with the last of so many parts.
  GatheredAnswer(std::size_t parts, WhenWritten when) : left_(parts), when_(std::move(when)) {}

  // One of the parts is to be so many more.
  void expect(std::size_t more);
  // The whole is durable if all parts are; otherwise it is what the first refusal says.
  void add(WriteAnswer part);

 private:
  std::mutex mutex_;
  std::size_t left_;
  WriteAnswer all_;
  WhenWritten when_;
};

}  // namespace futurerand
