#include "apps/cli/read_values.hpp"

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/cli/interrupt.hpp"
#include "apps/cli/progress_bar.hpp"

namespace futurerand::apps {

std::vector<UserValues> read_values(const std::string& path, Period num_periods,
                                    const Coding& coding) {
  const std::atomic<bool>& stopped = catch_interrupts();
  const std::string text = read_file(path);
  ProgressBar progress("reading " + path);
  const auto go_on = [&](double share) {
    progress.show(share);
    return !stopped.load(std::memory_order_relaxed);
  };
  Result<std::vector<UserValues>> users = parse_values(text, path, num_periods, go_on, coding);
  stop_if_interrupted();
  return or_bad_input(std::move(users));
}

}  // namespace futurerand::apps
