#include "apps/cli/constant_flags.hpp"

#include <string>

#include <fmt/core.h>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/rivals/protocol_registry.hpp"

namespace futurerand::apps {

// Ranges are checked where the protocols are made, because they depend on other flags.
void add_constant_flags(CLI::App& command, ProtocolConstants& constants) {
  for (const ProtocolKind& kind : protocol_kinds()) {
    for (const ProtocolConstant& constant : kind.constants) {
      CLI::Option* option = command.add_option_function<double>(
          fmt::format("--{}", constant.name),
          [&constants, &constant](double value) { constants.set(constant, value); },
          fmt::format("{}: {}", kind.name, constant.meaning));
      option->type_name(std::string(constant.symbol))->group("Constants of rivals");
      if (constant.usual) option->default_str(fmt::format("{}", *constant.usual));
      if (constant.whole) option->check(CLI::Range(Period{1}, kMaxPeriods));
    }
  }
}

}  // namespace futurerand::apps
