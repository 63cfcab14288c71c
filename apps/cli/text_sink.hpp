// Destination of a command's result: a whole file (OutputFile), or standard output without a path.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/cli/output_file.hpp"

namespace futurerand::apps {

class TextSink {
 public:
  // An empty path is standard output.
  explicit TextSink(const std::string& path);

  void write(std::string_view text);
  // Gives a file its name; without this call it never gets one.
  void commit();

 private:
  std::optional<OutputFile> file_;
};

}  // namespace futurerand::apps
