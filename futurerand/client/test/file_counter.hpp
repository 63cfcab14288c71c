// FileCounter: stands in for a platform's counter in tests: a file that "backups do not carry".
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "futurerand/client/monotonic_counter.hpp"

namespace futurerand::test {

class FileCounter final : public MonotonicCounter {
 public:
  // Requires a folder that exists.
  explicit FileCounter(std::string folder) : folder_(std::move(folder)) {}

  Result<std::uint64_t> read(std::string_view record) override {
    if (broken) return Error{"the counter cannot be read"};
    std::uint64_t value = 0;
    std::ifstream file(path(record));
    file >> value;
    return value;
  }
  Status raise(std::string_view record, std::uint64_t value) override {
    if (broken) return Error{"the counter cannot be raised"};
    if (good_raises == 0) return Error{"the power is cut"};
    --good_raises;
    if (value < *read(record)) std::abort();
    std::ofstream(path(record)) << value;
    return {};
  }

  bool broken = false;
  int good_raises = 1 << 30;

 private:
  std::string path(std::string_view record) const { return folder_ + "/" + std::string(record); }

  std::string folder_;
};

}  // namespace futurerand::test
