#include "apps/cli/text_sink.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

void require_written(bool written) {
  if (written) return;
  throw failed(std::string("standard output cannot be written (") + std::strerror(errno) + ")");
}

}  // namespace

TextSink::TextSink(const std::string& path) {
  if (!path.empty()) file_.emplace(path);
}

void TextSink::write(std::string_view text) {
  if (file_) return file_->write(text);
  require_written(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

void TextSink::commit() {
  if (file_) return file_->commit();
  require_written(std::fflush(stdout) == 0);
}

}  // namespace futurerand::apps
