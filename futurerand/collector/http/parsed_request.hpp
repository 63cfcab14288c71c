// Beast's parsed request in the API's form. Internal to the server: it includes Beast.
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

// Takes the body out of the parser.
ApiRequest request_of(RequestParser& parser, const Address& sender);

// Returns all lines of X-Forwarded-For together: an untrusted client may send one, and a proxy adds
// its own behind it.
std::string forwarded_for(const RequestParser& parser);

// Finds a possible request smuggling: two servers could disagree on the length of the body or on
// the host. Returns the ambiguity, or nothing.
std::optional<std::string> ambiguity_of(const RequestParser& parser);

}  // namespace futurerand
