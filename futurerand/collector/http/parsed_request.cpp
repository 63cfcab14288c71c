#include "futurerand/collector/http/parsed_request.hpp"

#include <utility>

namespace futurerand {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

}  // namespace

ApiRequest request_of(RequestParser& parser, const Address& sender) {
  const auto text = [](auto value) { return std::string(value.data(), value.size()); };
  ApiRequest request;
  request.address = sender;
  request.method = text(parser.get().method_string());
  request.target = text(parser.get().target());
  request.body = std::move(parser.get().body());
  // One pass: a request of one report has few fields, and looking each of these up costs more. For
  // a repeated field the first non-empty one counts.
  const auto keep = [&](std::string& field, auto value) {
    if (field.empty()) field.assign(value.data(), value.size());
  };
  for (const auto& field : parser.get()) {
    switch (field.name()) {
      case http::field::authorization:
        keep(request.authorization, field.value());
        break;
      case http::field::accept:
        keep(request.accept, field.value());
        break;
      case http::field::content_encoding:
        keep(request.content_encoding, field.value());
        break;
      case http::field::accept_encoding:
        keep(request.accept_encoding, field.value());
        break;
      case http::field::if_none_match:
        keep(request.if_none_match, field.value());
        break;
      case http::field::host:
        keep(request.host, field.value());
        break;
      case http::field::origin:
        keep(request.origin, field.value());
        break;
      case http::field::access_control_request_method:
        keep(request.requested_method, field.value());
        break;
      default:
        break;
    }
  }
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
  std::size_t hosts = 0;
  std::size_t encodings = 0;
  std::size_t lengths = 0;
  bool is_chunked = true;
  for (const auto& field : parser.get()) {
    hosts += field.name() == http::field::host ? 1U : 0U;
    lengths += field.name() == http::field::content_length ? 1U : 0U;
    if (field.name() != http::field::transfer_encoding) continue;
    ++encodings;
    is_chunked = is_chunked && beast::iequals(field.value(), "chunked");
  }
  if (hosts > 1) return "more than one Host";
  if (hosts == 0 && parser.get().version() >= 11) return "no Host";
  if (encodings == 0) return std::nullopt;
  if (encodings > 1 || !is_chunked) return "a Transfer-Encoding other than one 'chunked'";
  if (lengths > 0) return "both Transfer-Encoding and Content-Length";
  if (parser.get().version() < 11) return "Transfer-Encoding in HTTP/1.0";
  return std::nullopt;
}

}  // namespace futurerand
