// What the functions of futurerand.h take and give: texts, places for results, handles that may be
// closed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/c/handles.hpp"

namespace futurerand::c {

// A copy that fr_free() frees.
fr_code give_text(const std::string& text, char** out, fr_error* error);

// Where a result is to go: null until there is one.
template <typename T>
fr_code clear_out(T** out, fr_error* error) {
  if (out == nullptr) return fail(Error{"no place for the result; expected its address"}, error);
  *out = nullptr;
  return FR_OK;
}

inline fr_code closed(const char* what, fr_error* error) {
  return fail(Error{"the " + std::string(what) + " is closed; expected an open one"}, error);
}

// False if there is no text.
inline bool read_text(const char* text, std::size_t size, std::string_view& out) {
  if (text == nullptr) return false;
  out = {text, size};
  return true;
}

}  // namespace futurerand::c
