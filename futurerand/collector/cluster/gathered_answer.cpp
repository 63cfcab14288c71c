#include "futurerand/collector/cluster/gathered_answer.hpp"

#include <algorithm>
#include <iterator>

namespace futurerand {

void GatheredAnswer::expect(std::size_t more) {
  const std::lock_guard lock(mutex_);
  left_ += more;
}

void GatheredAnswer::add(WriteAnswer part) {
  {
    const std::lock_guard lock(mutex_);
    if (all_.written == Written::kDurable) all_.written = part.written;
    ReportAnswer& all = all_.batch;
    all.counts += part.batch.counts;
    all.errors_not_shown += part.batch.errors_not_shown;
    std::move(part.batch.errors.begin(), part.batch.errors.end(), std::back_inserter(all.errors));
    if (--left_ > 0) return;
  }
  // The first ones by line, whichever part they are of: each part lists its own first ones.
  std::vector<LineError>& errors = all_.batch.errors;
  std::sort(errors.begin(), errors.end(),
            [](const LineError& a, const LineError& b) { return a.line < b.line; });
  if (errors.size() > ReportAnswer::kMaxErrors) {
    all_.batch.errors_not_shown += errors.size() - ReportAnswer::kMaxErrors;
    errors.resize(ReportAnswer::kMaxErrors);
  }
  when_(std::move(all_));
}

}  // namespace futurerand
