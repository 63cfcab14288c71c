// What Beast read of a request, as the API wants it. Internal to the server: it includes Beast.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "futurerand/collector/api/request.hpp"

namespace futurerand {

using RequestParser = boost::beast::http::request_parser<boost::beast::http::string_body>;

// Takes the body out of the parser. The address is for the caller to fill in.
ApiRequest request_of(RequestParser& parser);

// Returns all lines of X-Forwarded-For together: a stranger may send one, and a proxy adds its own
// behind it.
std::string forwarded_for(const RequestParser& parser);

// Returns what two servers could read differently, so that a request hides in the body of another:
// how long the body is, and who is asked. Nothing if all is clear.
std::optional<std::string> ambiguity_of(const RequestParser& parser);

}  // namespace futurerand
