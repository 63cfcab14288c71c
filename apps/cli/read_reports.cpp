#include "apps/cli/read_reports.hpp"

#include <utility>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/line_reader.hpp"

namespace futurerand::apps {

FoldedReports read_reports(const std::string& path, const ReadReportsOptions& options) {
  LineReader reader(path);
  const auto next = [&reader] { return reader.next(ReportFold::kMaxLineBytes); };
  const std::optional<std::string_view> header = next();
  if (!header) {
    throw bad_input(reader.name() + ": empty; expected the header written by randomize");
  }
  Result<ReportFold> fold = ReportFold::begin(*header, options.transcript_cap);
  if (!fold) throw bad_input(reader.place() + fold.error().message);
  while (const std::optional<std::string_view> line = next()) {
    const Status added = fold->add(*line);
    if (!added) throw bad_input(reader.place() + added.error().message);
    if (reader.line() % 1024 == 0) {
      stop_if_interrupted();
      if (options.progress) options.progress(reader.share());
    }
  }
  Result<FoldedReports> folded = fold->finish(options.incomplete);
  if (!folded) throw bad_input(reader.name() + ": " + folded.error().message);
  return *std::move(folded);
}

}  // namespace futurerand::apps
