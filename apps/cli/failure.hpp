// Exit status of a command: 0 for success, 1 for a failure, 2 for bad usage or input, 3 for an
// audit without a certificate, each with one line on stderr. Exceptions exist only here, at the
// edge.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "futurerand/core/base/result.hpp"

namespace futurerand::apps {

class Failure : public std::runtime_error {
 public:
  Failure(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

inline Failure bad_input(const std::string& message) { return {2, message}; }
inline Failure not_certified(const std::string& message) { return {3, message}; }
inline Failure failed(const std::string& message) { return {1, message}; }

template <typename T>
T or_bad_input(Result<T> result) {
  if (!result) throw bad_input(result.error().message);
  return *std::move(result);
}

}  // namespace futurerand::apps
