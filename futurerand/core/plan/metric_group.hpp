// MetricGroup: several metrics under one budget. Each device draws one of them, once and before any
// data, with a probability proportional to its share. It joins only that one. docs/groups.md has
// the promise and its proof.
//
// Thread safety: a plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/result.hpp"

namespace futurerand {

class MetricGroup {
 public:
  static constexpr std::size_t kMinMembers = 2;
  static constexpr std::size_t kMaxMembers = 64;
  static constexpr std::uint32_t kMaxShare = 1'000'000;
  static constexpr std::size_t kMaxNameBytes = 128;

  struct Member {
    std::string metric;
    std::uint32_t share = 1;  // out of total()
    friend bool operator==(const Member&, const Member&) = default;
  };

  // Sorts the members by name. kInvalid unless the names differ and have 1 to kMaxNameBytes bytes,
  // and there are kMinMembers to kMaxMembers members with shares of 1 to kMaxShare.
  static Result<MetricGroup> create(std::string name, std::vector<Member> members);

  const std::string& name() const { return name_; }
  const std::vector<Member>& members() const { return members_; }  // sorted by name
  std::uint32_t total() const;
  bool has(std::string_view metric) const;
  // Returns the probability of drawing this metric; 0 for a metric outside the group.
  double share_of(std::string_view metric) const;
  // Returns the member at this place of 0..total() - 1, if each member has as many places as its
  // share. Requires a place below total().
  const Member& at(std::uint32_t place) const;
  friend bool operator==(const MetricGroup&, const MetricGroup&) = default;

 private:
  MetricGroup(std::string name, std::vector<Member> members)
      : name_(std::move(name)), members_(std::move(members)) {}

  std::string name_;
  std::vector<Member> members_;
};

}  // namespace futurerand
