#pragma once

#include <CLI/CLI.hpp>

namespace futurerand::apps {

// `futurerand metric create`: says what a metric would give, and makes it.
void add_metric_create(CLI::App& metric);

}  // namespace futurerand::apps
