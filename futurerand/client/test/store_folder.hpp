// FileStateStoreTest: a new folder for the tests of the file store.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "futurerand/core/base/test/temporary_folder.hpp"

namespace futurerand::test {

class FileStateStoreTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return place_ / name; }

  const TemporaryFolder place_;
  const std::string& folder_ = place_.path();
};

}  // namespace futurerand::test
