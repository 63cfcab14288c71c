#include "futurerand/core/plan/pulse_filter.hpp"

#include <algorithm>
#include <cmath>

namespace futurerand {
namespace {

std::size_t longest_window(const std::vector<PulseLaw>& classes) {
  std::size_t longest = 0;
  for (const PulseLaw& law : classes) longest = std::max<std::size_t>(longest, law.window);
  return longest;
}

}  // namespace

PulseFilter::PulseFilter(std::vector<PulseLaw> classes)
    : classes_(std::move(classes)),
      width_(longest_window(classes_) + 1),
      information_(width_ * width_),
      right_side_(width_),
      sums_(classes_.size()) {}

void PulseFilter::eliminate_oldest() {
  const double pivot = at(0, 0);
  std::vector<double> row(size_ - 1);
  for (std::size_t i = 1; i < size_; ++i) row[i - 1] = at(i, 0) / pivot;
  const double right = right_side_[0];
  for (std::size_t i = 1; i < size_; ++i) {
    const double column = row[i - 1] * pivot;
    for (std::size_t j = 1; j <= i; ++j) at(i - 1, j - 1) = at(i, j) - column * row[j - 1];
    right_side_[i - 1] = right_side_[i] - row[i - 1] * right;
  }
  --size_;
  eliminated_.push_back(std::move(row));
}

void PulseFilter::advance(std::span<const Difference> by_class, double usual_step) {
  if (size_ == width_) eliminate_oldest();
  const std::size_t now = size_++;
  for (std::size_t j = 0; j <= now; ++j) at(now, j) = 0;
  right_side_[now] = 0;
  ++period_;
  const auto add = [&](std::size_t lag, const Difference& difference) {
    at(now, now) += difference.information;
    right_side_[now] += difference.information * difference.value;
    if (lag > now) return;  // it was 0 then
    at(now - lag, now - lag) += difference.information;
    at(now, now - lag) -= difference.information;
    right_side_[now - lag] -= difference.information * difference.value;
  };
  bool measured = false;
  for (std::size_t v = 0; v < classes_.size(); ++v) {
    const Difference& difference = by_class[v];
    if (!(difference.information > 0)) {
      sums_[v].complete = false;
      continue;
    }
    measured = true;
    sums_[v].value += difference.value;
    sums_[v].variances += 1 / difference.information;
    add(classes_[v].window, difference);
  }
  if (!measured) add(1, {0, 1 / (usual_step * usual_step)});
}

// If all periods are equally informative, with g each, the errors of t reports of J slots have the
// covariance (I - 11'/J) / g. Its inverse is g (I + 11' / (J - t)). The last factor is capped: in
// the last periods it would lean on a few unseen slots, and one liar would count for much.
double PulseFilter::sum_information(std::size_t which) const {
  constexpr double kMostShare = 8;
  const Sum& sum = sums_[which];
  if (!sum.complete) return 0;
  const double slots = classes_[which].num_signs;
  return period_ / sum.variances * std::min(1 / (slots - period_), kMostShare / slots);
}

std::size_t PulseFilter::covered(std::size_t which) const {
  return std::min<std::size_t>(classes_[which].window, size_);
}

std::vector<double> PulseFilter::factor() const {
  std::vector<double> factor(size_ * size_);
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) factor[i * size_ + j] = information_[i * width_ + j];
  }
  for (std::size_t v = 0; v < classes_.size(); ++v) {
    const double information = sum_information(v);
    for (std::size_t i = size_ - covered(v); i < size_; ++i) {
      for (std::size_t j = size_ - covered(v); j <= i; ++j) factor[i * size_ + j] += information;
    }
  }
  for (std::size_t i = 0; i < size_; ++i) {
    double* row = &factor[i * size_];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = &factor[j * size_];
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      row[j] = i == j ? std::sqrt(sum) : sum / other[j];
    }
  }
  return factor;
}

PulseFilter::Estimate PulseFilter::estimate() const {
  const std::vector<double> lower = factor();
  std::vector<double> right(right_side_.begin(),
                            right_side_.begin() + static_cast<std::ptrdiff_t>(size_));
  for (std::size_t v = 0; v < classes_.size(); ++v) {
    const double information = sum_information(v);
    for (std::size_t i = size_ - covered(v); i < size_; ++i) {
      right[i] += information * sums_[v].value;
    }
  }
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < i; ++j) right[i] -= lower[i * size_ + j] * right[j];
    right[i] /= lower[i * size_ + i];
  }
  const double last = lower.back();
  return {right.back() / last, 1 / (last * last)};
}

std::vector<double> PulseFilter::weights(std::size_t which, const std::vector<double>& response,
                                         const std::vector<double>& informations) const {
  double of_sum = 0;
  for (std::size_t s = period_ - covered(which); s < period_; ++s) of_sum += response[s];
  of_sum *= sum_information(which);
  const std::size_t window = classes_[which].window;
  std::vector<double> weights;
  for (std::size_t s = 0; s < period_; ++s) {
    const double before = s >= window ? response[s - window] : 0;
    weights.push_back(informations[s] * (response[s] - before) + of_sum);
  }
  return weights;
}

std::vector<double> PulseFilter::response() const {
  const std::vector<double> lower = factor();
  std::vector<double> response(period_);
  const std::size_t first = period_ - size_;
  response.back() = 1 / lower.back();
  for (std::size_t i = size_; i-- > 0;) {
    double& value = response[first + i];
    for (std::size_t j = i + 1; j < size_; ++j) {
      value -= lower[j * size_ + i] * response[first + j];
    }
    value /= lower[i * size_ + i];
  }
  for (std::size_t s = first; s-- > 0;) {
    const std::vector<double>& row = eliminated_[s];
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * response[s + 1 + j];
    response[s] = -sum;
  }
  return response;
}

}  // namespace futurerand
