// Law: which noise vector b in {-1,+1}^k a device draws before it sees any data, as the very
// integers that the sampler compares with and that the certificate reasons about. Nothing here is a
// float.
//
// Every law is symmetric: a vector with i minus signs has probability P(i), whichever i signs they
// are. [OWW22] sections 4.2 and 5; the page of each law (*.md beside this file) has its proof.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "futurerand/core/base/epsilon.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/law/exact.hpp"

namespace futurerand {

inline constexpr std::uint32_t kMaxChanges = 4096;

// Probabilities below are threshold / 2^64.

// Each sign is a minus with probability flip, independently. `warner`.
struct ProductLaw {
  std::uint32_t num_signs;
  std::uint64_t flip;
  friend bool operator==(const ProductLaw&, const ProductLaw&) = default;
};

// One sign, drawn uniformly, is a minus with probability flip; all others are fair. `erlingsson`.
struct SingleLaw {
  std::uint32_t num_signs;
  std::uint64_t flip;
  friend bool operator==(const SingleLaw&, const SingleLaw&) = default;
};

// A product draw is kept while its number of minus signs is in [first_kept, last_kept]; otherwise
// it is replaced by a uniform vector from outside. `bun`, `future_rand`: [OWW22] Alg. 3.
struct AnnulusLaw {
  std::uint32_t num_signs;
  std::uint64_t flip;
  std::uint32_t first_kept;
  std::uint32_t last_kept;
  friend bool operator==(const AnnulusLaw&, const AnnulusLaw&) = default;
};

// With probability low_side a uniform vector with at most tau minus signs, else a uniform one of
// the rest. `optimal`.
struct ThresholdLaw {
  std::uint32_t num_signs;
  std::uint32_t tau;
  std::uint64_t low_side;
  friend bool operator==(const ThresholdLaw&, const ThresholdLaw&) = default;
};

// Symbols are -1, 0 and +1: a position without a change speaks (a fair sign) only with probability
// speak / 2^16 and is silent otherwise. The noise is drawn like k such positions, but with
// probability loud_side from those whose symbols sum to more than tau, else from the rest. `quiet`.
struct QuietLaw {
  static constexpr std::uint32_t kUnits = 1U << 16;
  static constexpr std::uint32_t kMaxSigns = 128;
  // The loud side has at least one in so many: drawing it by rejection takes bounded time.
  static constexpr std::uint32_t kMaxTries = 1024;

  std::uint32_t num_signs;
  std::uint32_t speak;  // even
  std::uint32_t tau;
  std::uint64_t loud_side;
  friend bool operator==(const QuietLaw&, const QuietLaw&) = default;
};

using Law = std::variant<ProductLaw, SingleLaw, AnnulusLaw, ThresholdLaw, QuietLaw>;

std::uint32_t num_signs(const Law& law);

// Integers may come from a server: checks that they are in range, so that every P(i) is positive
// and all functions below are defined. They require a law that passed.
Status validate(const Law& law);

// P(i): the probability of one given vector with i minus signs, of a QuietLaw also with so many
// silent symbols. Requires i + silent <= num_signs.
Fraction probability(const Law& law, std::uint32_t i, std::uint32_t silent = 0);

// Of the likelihood ratios P(b) / P0(b), P0 being k positions without a change, those between which
// it is monotone, times a common factor: the largest and the smallest are among them. Every P0 is
// 2^-k but for a QuietLaw. Not for ProductLaw, whose P(0) / P(k) is a k-th power that need not be
// written out.
std::vector<Fraction> extreme_likelihoods(const Law& law);

// c = sum_i C(k,i) P(i) (k - 2i) / k: how much more often a sign is kept than reversed.
// [OWW22] property II, "c_gap".
Fraction gap(const Law& law);

// Mean square of a report when this share of them carries a change; 1 for fair signs. For predicted
// errors; never where privacy is decided.
double mean_square(const Law& law, double changed_share);

enum class LawName { kWarner, kErlingsson, kBun, kFutureRand, kOptimal };

inline constexpr std::array kLawNames = {LawName::kWarner, LawName::kErlingsson, LawName::kBun,
                                         LawName::kFutureRand, LawName::kOptimal};

std::string_view name_of(LawName law);
std::optional<LawName> law_named(std::string_view name);

// The law for at most max_changes changes (1..4096) and a budget in the law's own range.
Result<Law> make_law(LawName law, std::uint32_t max_changes, Epsilon epsilon);

}  // namespace futurerand
