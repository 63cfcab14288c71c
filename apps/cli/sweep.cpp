#include "apps/cli/sweep.hpp"

#include <algorithm>
#include <array>

#include "apps/cli/failure.hpp"

namespace futurerand::apps {
namespace {

constexpr std::array kParameters = {"epsilon", "changes", "periods", "users"};

}  // namespace

void Sweep::add_to(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--sweep",
          [this](const std::string& text) {
            const std::size_t equals = text.find('=');
            parameter = text.substr(0, equals);
            const bool known =
                std::find(kParameters.begin(), kParameters.end(), parameter) != kParameters.end();
            if (!known || equals == text.npos || equals + 1 == text.size()) {
              throw bad_input("--sweep '" + text +
                              "' is wrong; expected epsilon, changes, periods or users with its "
                              "values, such as epsilon=0.5,1,2,4");
            }
            values = CLI::detail::split(text.substr(equals + 1), ',');
          },
          "run once for each value of epsilon, changes, periods or users, such as "
          "epsilon=0.5,1,2,4")
      ->type_name("NAME=A,B,C");
}

SimulationFlags Sweep::with(SimulationFlags flags, const std::string& value) const {
  const Status set = set_option(compare_options(flags.asked), parameter, value);
  if (!set) throw bad_input("--sweep: " + set.error().message);
  return flags;
}

}  // namespace futurerand::apps
