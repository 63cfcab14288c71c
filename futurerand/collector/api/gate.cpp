#include "futurerand/collector/api/gate.hpp"

#include <algorithm>

namespace futurerand {
namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// Without the port: "example.org", "[::1]".
std::string_view name_of_host(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const bool has_port = colon != host.npos && host.find(']', colon) == host.npos;
  return has_port ? host.substr(0, colon) : host;
}

std::string_view after_scheme(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  return scheme == origin.npos ? std::string_view() : origin.substr(scheme + 3);
}

}  // namespace

bool is_origin(std::string_view text) {
  const std::string_view host = after_scheme(text);
  return (text.starts_with("http://") || text.starts_with("https://")) && !host.empty() &&
         host.find_first_of("/?#@ \t") == host.npos;
}

bool Gate::lists(const std::string& origin) const {
  return std::any_of(options_.origins.begin(), options_.origins.end(),
                     [&](const std::string& listed) { return same_name(listed, origin); });
}

Gate::Verdict Gate::judge(const ApiRequest& request) const {
  if (!options_.hosts.empty() &&
      std::none_of(options_.hosts.begin(), options_.hosts.end(), [&](const std::string& host) {
        return same_name(host, name_of_host(request.host));
      })) {
    return Verdict::kWrongHost;
  }
  // A proxy that speaks TLS changes the scheme, not the host.
  const bool own =
      request.origin.empty() ||
      (is_origin(request.origin) && same_name(after_scheme(request.origin), request.host));
  return own || lists(request.origin) ? Verdict::kEnter : Verdict::kWrongOrigin;
}

std::optional<ApiResponse> Gate::preflight(const ApiRequest& request) const {
  if (request.method != "OPTIONS" || request.requested_method.empty() || !lists(request.origin)) {
    return std::nullopt;
  }
  ApiResponse response{.status = 204};
  response.headers = {
      {"Access-Control-Allow-Methods", "GET, HEAD, POST"},
      {"Access-Control-Allow-Headers", "Authorization, Content-Type, Content-Encoding"},
      {"Access-Control-Max-Age", "86400"}};
  return response;
}

void Gate::allow(const ApiRequest& request, ApiResponse& response) const {
  if (options_.origins.empty()) return;
  response.headers.emplace_back("Vary", "Origin");
  if (!lists(request.origin)) return;
  response.headers.emplace_back("Access-Control-Allow-Origin", request.origin);
  response.headers.emplace_back("Access-Control-Expose-Headers", "Retry-After");
}

}  // namespace futurerand
