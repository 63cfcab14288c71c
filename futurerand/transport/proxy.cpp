#include "futurerand/transport/proxy.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace futurerand {
namespace {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < count ? static_cast<std::uint8_t>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kDigits[group >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

std::string lower(std::string_view text) {
  std::string copy(text);
  for (char& c : copy) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return copy;
}

std::string variable(const char* upper_case, const char* lower_case) {
  for (const char* name : {lower_case, upper_case}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return {};
}

}  // namespace

Result<ProxyAddress> ProxyAddress::parse(std::string_view url) {
  // The address may contain a password, so no message shows it.
  const Error wrong{"the proxy cannot be read; expected http://[USER:PASSWORD@]HOST[:PORT]"};
  constexpr std::string_view kPlain = "http://";
  if (url.starts_with(kPlain)) url.remove_prefix(kPlain.size());
  if (url.find("://") != url.npos) return wrong;
  if (url.ends_with('/')) url.remove_suffix(1);
  ProxyAddress proxy{{}, 1080, {}};
  if (const std::size_t at = url.rfind('@'); at != url.npos) {
    proxy.authorization = base64(url.substr(0, at));
    url.remove_prefix(at + 1);
  }
  const std::size_t colon = url.rfind(':');
  if (colon != url.npos && url.find(']', colon) == url.npos) {
    const std::string_view digits = url.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), proxy.port);
    if (error != std::errc() || end != digits.data() + digits.size() || proxy.port == 0)
      return wrong;
    url = url.substr(0, colon);
  }
  if (url.starts_with('[') && url.ends_with(']')) url = url.substr(1, url.size() - 2);
  if (url.empty() || url.find_first_of("/ ?#\r\n") != url.npos) return wrong;
  proxy.host = url;
  return proxy;
}

bool is_excepted(std::string_view host, std::string_view list) {
  const std::string name = lower(host);
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string entry = lower(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    std::erase(entry, ' ');
    if (entry == "*") return true;
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (entry.empty()) continue;
    if (name == entry || name.ends_with("." + entry)) return true;
  }
  return false;
}

std::string proxy_from_environment(std::string_view host) {
  if (is_excepted(host, variable("NO_PROXY", "no_proxy"))) return {};
  return variable("HTTPS_PROXY", "https_proxy");
}

}  // namespace futurerand
