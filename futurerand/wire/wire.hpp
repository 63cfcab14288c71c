// The lines that devices send and files hold: JSON, one object a line, versioned (docs/wire.md).
//
//   {"futurerand":1,"plan":{...},"seeded":false}
//   {"client":"<32 hex digits>","view":V,"period":P}            (a snapshot view adds "index",
//                                                          and segments add "segment":NAME)
//   {"client":"<32 hex digits>","index":J,"signs":"+-+"}         ('0' for a silent symbol)
//   {"client":"<32 hex digits>","leave":P}
//   {"client":"<32 hex digits>","forget":true}
//
// Parsing fails with a reason that says what was expected; it never aborts, whatever the bytes.
// Parsed plans have passed validate(); the other lines are checked for form only: whether they fit
// a plan is the business of whoever folds them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "futurerand/core/base/result.hpp"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/core/plan/report.hpp"

namespace futurerand {

inline constexpr int kWireVersion = 1;
// A collector takes no longer line over HTTP: whoever has more to say says it in several.
inline constexpr std::size_t kMaxPostedLineBytes = 64 << 10;

struct Header {
  Plan plan;
  bool seeded = false;
  friend bool operator==(const Header&, const Header&) = default;
};

using Line = std::variant<Header, Enrolment, Report, Leave, Forget>;

// The line has no newline at its end.
std::string to_line(const Header& header);
std::string to_line(const Enrolment& enrolment);
std::string to_line(const Report& report);
std::string to_line(const Leave& leave);
std::string to_line(const Forget& forget);

Result<Line> parse_line(std::string_view line);
// Says whether reading it may take as long as reading a header does. Every header looks like one.
bool looks_like_header(std::string_view line);

// Writes the plan's own JSON object, as in the header and in the HTTP API.
std::string to_json(const Plan& plan);
Result<Plan> parse_plan(std::string_view json);

std::string to_hex(const ClientId& client);
Result<ClientId> parse_client_id(std::string_view hex);

}  // namespace futurerand
