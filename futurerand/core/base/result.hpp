// Result<T>: a value or an Error with the problem and the expectation. The message is for people,
// the code is for programs. Expected failures travel as values, so the same code serves builds
// without exceptions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace futurerand {

enum class ErrorCode : std::uint8_t {
  kInvalid,       // an argument is not of the expected form or range
  kNotFound,      // the requested thing does not exist
  kRefused,       // never: a ceiling, pinned terms, a plan, a server's refusal of a line
  kDamaged,       // stored bytes were not saved by this program, or records contradict each other
  kNoEntropy,     // the random source failed
  kNoRoom,        // the store, or the collector, has no room for more
  kBusy,          // somebody else holds it
  kUnreachable,   // no answer, or a request to come again
  kNotStarted,    // too early: the message says from when on, if that is known
  kUnauthorized,  // the server wants another token
  kUntrusted,     // the other side has no proof of being the requested server
};

// A program's action on an error. Only kGiveUp is final. With all others the state stays, and the
// next attempt continues from it.
enum class ErrorAction : std::uint8_t { kRetryLater, kTellOperator, kFixCall, kGiveUp };

constexpr ErrorAction action_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return ErrorAction::kFixCall;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kUntrusted:
      return ErrorAction::kTellOperator;
    case ErrorCode::kRefused:
    case ErrorCode::kDamaged:
      return ErrorAction::kGiveUp;
    case ErrorCode::kNoEntropy:
    case ErrorCode::kNoRoom:
    case ErrorCode::kBusy:
    case ErrorCode::kUnreachable:
    case ErrorCode::kNotStarted:
      return ErrorAction::kRetryLater;
  }
  return ErrorAction::kFixCall;
}

struct Error {
  std::string message;
  ErrorCode code = ErrorCode::kInvalid;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  // Requires success: asking a failed result for its value is a programmer error and aborts.
  T& operator*() & { return *checked(); }
  const T& operator*() const& { return *const_cast<Result*>(this)->checked(); }
  T&& operator*() && { return std::move(*checked()); }
  T* operator->() { return checked(); }
  const T* operator->() const { return const_cast<Result*>(this)->checked(); }

  // Requires failure.
  const Error& error() const {
    const Error* error = std::get_if<1>(&state_);
    if (error == nullptr) std::abort();
    return *error;
  }

 private:
  T* checked() {
    T* value = std::get_if<0>(&state_);
    if (value == nullptr) std::abort();
    return value;
  }

  std::variant<T, Error> state_;
};

// Status is a success without a value, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return !error_.has_value(); }
  const Error& error() const {
    if (!error_) std::abort();
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace futurerand
