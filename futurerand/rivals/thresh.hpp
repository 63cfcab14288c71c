// thresh: the server's estimate stands until enough users vote that it is out of date.
//
// Model: local, in epochs of l periods. Values come from distributions shared by groups of users,
//   and the distributions change rarely. At the end of an epoch every user votes on whether its
//   mean has moved since the last update. It looks for the highest level b with |p - p_last| > 2 (b
//   + 1) sqrt(ln(10 n T / delta) / (2 l)). A level b may vote only if 2^(floor(log2 T) - b) divides
//   the epoch's number. Yes is Ber(e^a / (e^a + 1)), no Ber(1 / (e^a + 1)). An update follows if
//   the mean vote exceeds 1 / (e^a + 1) + sqrt(ln(10 T / delta) / (2 n)). Every user then sends
//   Ber((1 + p (e^b' - 1)) / (e^b' + 1)) for its mean p.
// Guarantee: private over the whole sequence: yes votes may spend epsilon / 4 and estimates epsilon
//   / 4, checked before spending (ThreshUser); then a user votes no and sends as if p = 0.
// Estimator: the mean of the last update, debiased, held until the next one; no answer before the
//   first. Within an epoch it comes from earlier epochs. All users spend the same on estimates, so
//   the server knows their end and keeps its last one. A held estimate is biased: no variance is
//   stated for a period, and the given stddev is that of one update.
// Constants: a = b' = epsilon / (4 k) (k votes, k updates), delta = 0.05, and l the least power of
//   two with a visible full move at level 0; all may be given. These choices are OURS; the
//   description comes from a SECONDARY source, not from the authors' text.
// When it answers: level 0 may vote in the last epoch only, so with the usual l answers are rare.
//   Epochs of 2048 in 16384 periods make a full move one of the highest level, and the first epoch
//   already gives an answer (--thresh-epoch 2048; docs/results.md).
// Source: Joseph, Roth, Ullman, Waggoner, "Local differential privacy for evolving data", NeurIPS
//   2018. Named in [OWW22] section 6.
#pragma once

#include <cstdint>

#include "futurerand/simulator/simulated_protocol.hpp"

namespace futurerand::thresh {

inline constexpr ProtocolConstant kThreshEpoch{
    "thresh-epoch", "L", "periods of an epoch; default: enough to notice a full move", {}, true};
inline constexpr ProtocolConstant kThreshVoteCost{
    "thresh-vote-cost", "A", "budget of a yes vote; default: epsilon / 4K", {}};
inline constexpr ProtocolConstant kThreshEstimateCost{
    "thresh-estimate-cost", "B", "budget of an estimate; default: epsilon / 4K", {}};
inline constexpr ProtocolConstant kThreshDelta{"thresh-delta", "SHARE",
                                               "how often its accuracy bound may fail", 0.05};

struct ThreshTerms {
  Period epoch;              // l
  std::uint32_t num_epochs;  // T, whole ones
  double vote_cost;          // a
  double estimate_cost;      // b'
  std::uint32_t votes;       // yes votes paid by epsilon / 4
  std::uint32_t estimates;   // updates paid by epsilon / 4
  double radius;             // of a user's mean: sqrt(ln(10 n T / delta) / (2 l))
  double margin;             // of the mean vote: sqrt(ln(10 T / delta) / (2 n))

  // Fails on constants out of range.
  static Result<ThreshTerms> create(const ProtocolSettings& settings);

  double one_if_no() const;               // probability of a 1 for a no
  double one_if_yes() const;              // that a yes is
  double one_if_mean(double mean) const;  // that an estimate is
};

// A user's memory: its mean at the last update, and its budgets.
class ThreshUser {
 public:
  explicit ThreshUser(const ThreshTerms& terms)
      : terms_(&terms), votes_left_(terms.votes), estimates_left_(terms.estimates) {}

  // Tells whether the user votes yes at the end of this epoch (from 1). A yes is paid for.
  bool votes_yes(std::uint32_t epoch, double mean);
  // There is an update. Returns true if it is paid for, and the mean may be sent.
  bool estimates(double mean);

  std::uint32_t votes_left() const { return votes_left_; }
  std::uint32_t estimates_left() const { return estimates_left_; }

 private:
  const ThreshTerms* terms_;
  double last_mean_ = 0;
  std::uint32_t votes_left_;
  std::uint32_t estimates_left_;
};

}  // namespace futurerand::thresh
