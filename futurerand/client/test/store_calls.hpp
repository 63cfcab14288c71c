// The calls of the file store to the operating system. Tests stand in for them
// (posix_file_state_store_test.cpp, windows_file_state_store_test.cpp): one may fail, or end the
// process.
#pragma once

#include <string>

namespace futurerand::test {

// Each counts from 1; 0 means never.
struct StoreCalls {
  int failing_sync = 0;
  int killing_call = 0;      // the process ends before this call,
  bool writes_half = false;  // or when it has written half
};
inline StoreCalls store_calls;

inline bool counts_down(int& calls) { return calls > 0 && --calls == 0; }

inline constexpr int kKilled = 77;  // how a process ends at its killing call

// A device lives on in the state folder until the script ends its process, or to its end. What it
// sends is in the file `sent`, a line each. Another attempt observes other values.
struct StoreLife {
  std::string state;
  std::string sent;
  int attempt = 0;
  StoreCalls calls = {};
};
// Aborts where a healthy store gives an error.
void live(const StoreLife& life);
// Lives in a process of its own; returns how that ended: 0 or kKilled.
int live_elsewhere(const StoreLife& life);

}  // namespace futurerand::test
