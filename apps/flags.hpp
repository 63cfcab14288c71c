// Flags that several commands share, with their ranges and defaults.
#pragma once

#include <cstdint>
#include <string>

#include <CLI/CLI.hpp>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/plan/plan.hpp"

namespace futurerand::apps {

enum class Format { kText, kJson };

void add_format(CLI::App& command, Format& format);

// --protocol --periods --changes --epsilon
struct PlanFlags {
  std::string protocol = "hybrid";
  Period periods = 256;
  std::uint32_t changes = 4;
  std::string epsilon = "1";

  void add_to(CLI::App& command, bool with_protocol);

  Protocol chosen_protocol() const;
  Epsilon budget() const;
  Plan plan() const;
};

}  // namespace futurerand::apps
