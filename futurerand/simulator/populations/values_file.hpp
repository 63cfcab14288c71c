// Values files: CSV with the header `user,period,value`. A row gives the user's value from that
// period on. Before the first row a yes/no user holds 0; users of other kinds join with it. Rows
// come in any order. A user is any text, commas included. A user without changes has one row with
// value 0.
//
// Pure functions over text. Any bytes end in a value or in an error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/core/base/dyadic.hpp"
#include "futurerand/core/base/result.hpp"
#include "futurerand/core/coding/coding.hpp"
#include "futurerand/device/value_from.hpp"

namespace futurerand {

struct UserValues {
  std::string user;                // any text but none
  std::vector<ValueFrom> changes;  // periods rise strictly; a row may repeat the value held
  friend bool operator==(const UserValues&, const UserValues&) = default;
};

// Hears now and then the share of the work that is done, 0 to 1; to return false ends the work.
using GoOn = std::function<bool(double)>;

// Returns users in rising order: whole numbers by value, then other texts by their bytes. Fails
// with "FILE:LINE: problem; expectation". The message never quotes the file, because it holds
// people's values. Errors are another header, no user, a period outside 1..num_periods, a value
// outside the coding (other than 0 or 1 for yes/no), and two rows for one user and period. A value
// is given as its code; for a number as 0..Coding::kFullScale. `file` is only for messages. Fails
// with "interrupted" if `go_on` asks to stop.
Result<std::vector<UserValues>> parse_values(std::string_view text, std::string_view file,
                                             Period num_periods, const GoOn& go_on = {},
                                             const Coding& coding = {});

}  // namespace futurerand
