#include "apps/cli/sweep.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "futurerand/core/law/law_registry.hpp"

namespace futurerand::apps {
namespace {

constexpr std::array kParameters = {"epsilon", "changes", "periods", "users"};

std::uint64_t whole_number(const Sweep& sweep, const std::string& text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most) {
    throw bad_input(fmt::format("--sweep: '{}' is no number of {}; expected 1 to {}", text,
                                sweep.parameter, most));
  }
  return number;
}

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
          "run once for each value, such as epsilon=0.5,1,2,4; also changes, periods or users")
      ->type_name("NAME=A,B,C");
}

SimulationFlags Sweep::with(SimulationFlags flags, const std::string& value) const {
  if (parameter == "epsilon") {
    flags.plan.epsilon = value;
    flags.plan.budget();  // a wrong budget is told now
  } else if (parameter == "changes") {
    flags.plan.changes = static_cast<std::uint32_t>(whole_number(*this, value, kMaxChanges));
  } else if (parameter == "periods") {
    flags.plan.periods = static_cast<Period>(whole_number(*this, value, kMaxPeriods));
  } else {
    flags.users = whole_number(*this, value, std::uint64_t{1} << 40);
  }
  return flags;
}

}  // namespace futurerand::apps
