// Result<T>: a value or an Error that says what was wrong and what would be right. The message is
// for people; the code is what a program decides by. Expected failures travel as values, so that
// the same code serves builds without exceptions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace futurerand {

enum class ErrorCode : std::uint8_t {
  kInvalid,      // what was given is not of the form or range that was expected
  kNotFound,     // what was asked for does not exist
  kRefused,      // it is understood and not allowed: a ceiling, pinned terms, a server's refusal
  kDamaged,      // stored bytes are not what this program saved, or records contradict each other
  kNoEntropy,    // the random source failed
  kNoRoom,       // the store could not take what was to be saved
  kBusy,         // somebody else holds it
  kUnreachable,  // no answer, or one that asks to come again; a later attempt may succeed
};

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
