// TemporaryFolder: a new, empty folder, removed with the object. Tests run side by side, so names
// must differ between tests and between runs.
#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace futurerand::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::random_device number;
    do {
      const std::string name = "futurerand" + std::to_string(number());
      path_ = (std::filesystem::temp_directory_path() / name).string();
    } while (!std::filesystem::create_directory(path_));
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace futurerand::test
