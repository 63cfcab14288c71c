#include "futurerand/collector/http/parsed_request.hpp"

#include <utility>

namespace futurerand {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

}  // namespace

ApiRequest request_of(RequestParser& parser) {
  const auto text = [](auto value) { return std::string(value.data(), value.size()); };
  const auto field = [&](http::field name) { return text(parser.get()[name]); };
  ApiRequest request;
  request.method = text(parser.get().method_string());
  request.target = text(parser.get().target());
  request.body = std::move(parser.get().body());
  request.authorization = field(http::field::authorization);
  request.accept = field(http::field::accept);
  request.content_encoding = field(http::field::content_encoding);
  request.accept_encoding = field(http::field::accept_encoding);
  request.if_none_match = field(http::field::if_none_match);
  request.host = field(http::field::host);
  request.origin = field(http::field::origin);
  request.requested_method = field(http::field::access_control_request_method);
  return request;
}

std::string forwarded_for(const RequestParser& parser) {
  std::string all;
  const auto range = parser.get().equal_range("X-Forwarded-For");
  for (auto at = range.first; at != range.second; ++at) {
    if (!all.empty()) all += ',';
    all.append(at->value().data(), at->value().size());
  }
  return all;
}

std::optional<std::string> ambiguity_of(const RequestParser& parser) {
  const auto& fields = parser.get();
  if (fields.count(http::field::host) > 1) return "more than one Host";
  const std::size_t encodings = fields.count(http::field::transfer_encoding);
  if (encodings == 0) return std::nullopt;
  if (encodings > 1 || !beast::iequals(fields[http::field::transfer_encoding], "chunked")) {
    return "a Transfer-Encoding other than one 'chunked'";
  }
  if (fields.count(http::field::content_length) > 0) {
    return "both Transfer-Encoding and Content-Length";
  }
  if (fields.version() < 11) return "Transfer-Encoding in HTTP/1.0";
  return std::nullopt;
}

}  // namespace futurerand
