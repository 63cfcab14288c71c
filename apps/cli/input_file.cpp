#include "apps/cli/input_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {

std::string read_file(const std::string& path) {
  const auto fail = [&path] {
    return bad_input(path + ": cannot be read (" + std::strerror(errno) +
                     "); expected a readable file");
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) throw fail();
  std::string text;
  std::array<char, 65536> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), got);
  }
  if (std::ferror(file.get()) != 0) throw fail();
  return text;
}

}  // namespace futurerand::apps
