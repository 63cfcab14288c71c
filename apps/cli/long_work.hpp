// How a command runs long work: with a progress bar, until it is done or a signal comes.
#pragma once

#include <utility>

#include "apps/cli/failure.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress_bar.hpp"
#include "futurerand/study/progress.hpp"

namespace futurerand::apps {

// From here on signals stop the work. The bar must outlive it.
inline Progress progress_of(ProgressBar& bar) {
  return {&catch_interrupts(), [&bar](double share) { bar.show(share); }};
}

// Returns the result of the work, or ends with the status of its failure.
inline void end_unless(const Status& status) {
  stop_if_interrupted();
  if (status) return;
  const Error& error = status.error();
  throw error.code == ErrorCode::kInvalid ? bad_input(error.message) : failed(error.message);
}
template <typename T>
T or_end(Result<T> result) {
  end_unless(result ? Status() : Status(result.error()));
  return *std::move(result);
}

}  // namespace futurerand::apps
