// Exhaustive audit of `innovation`: runs the device on every sequence of values (any number of
// changes; for numbers, of thirds of the range), with every phase and every way in which its bits
// can decide, and with exact weights. Compares the probability of every output between all pairs of
// sequences. core/law/innovation.md.
//
// It uses only the device's outputs (innovation_probes.hpp), and tries the continuations of a saved
// state once.
#pragma once

#include <vector>

#include "futurerand/audit/exhaustive.hpp"
#include "futurerand/core/base/exact.hpp"
#include "futurerand/device/certified_plan.hpp"

namespace futurerand {

// Audits devices joining in this period. In the result, property_one and ratio_bounded are as
// there. property_two: up to max_changes changes (or that much variation) every report has mean V /
// 2X, with the gaps of the plan. The rounding is to 31 bits, or 24 for a sparse law.
// property_three: a report without noise is a fair coin, or a sparse law's symbol. Requires a plan
// of `innovation`, and 1 <= joined <= periods. Fails for more than 10 periods, 8 for a sparse law,
// or 6 for numbers.
Result<ExhaustiveAudit> audit_innovation_exhaustively(const CertifiedPlan& plan, Period joined = 1);

// Returns the chances of all outputs by input and output, for yes/no devices joining in period 1.
// Bit i of an input is the value in period i + 1; digit i of an output is the symbol
// (every_noise.hpp). All chances are over one denominator: decisions^periods 2^(null_bits periods)
// 2^64 high low, with high and low the null weights of the two sides. Requires and fails as above.
Result<std::vector<std::vector<BigInt>>> innovation_outputs(const CertifiedPlan& plan);

// Returns the chance of every output, for a device with these values. It joins in this period, and
// has one value for each period from then on. Digit i of an output is the symbol of the i-th value.
Result<std::vector<double>> innovation_law_of(const CertifiedPlan& plan, Period joined,
                                              const std::vector<std::uint32_t>& values);

}  // namespace futurerand
