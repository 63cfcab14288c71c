// LeaseTest: a folder, and a device's part in one metric, for tests of who may spend.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "futurerand/client/client.hpp"
#include "futurerand/client/test/terms.hpp"
#include "futurerand/core/base/test/temporary_folder.hpp"
#include "futurerand/device/test/sources.hpp"

namespace futurerand::test {

inline const Epsilon kAll = *Epsilon::parse("3");

class LeaseTest : public ::testing::Test {
 protected:
  Result<Client> open(StateStore& store, const std::string& metric = "m") {
    Result<Ledger> ledger = Ledger::open(store, kAll);
    if (!ledger) return ledger.error();
    return Client::open(terms_of(metric, Protocol::kRepeated), 1, *ledger, store, entropy_);
  }
#ifndef _WIN32
  // Runs in a child process; returns true if it says so.
  static bool in_child(const std::function<bool()>& work) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    int status = -1;
    return ::waitpid(child, &status, 0) == child && status == 0;
  }
#endif

  const TemporaryFolder folder_;
  testing_sources::SeededSource entropy_{1};
};

}  // namespace futurerand::test
