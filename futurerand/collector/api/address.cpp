#include "futurerand/collector/api/address.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

#include <arpa/inet.h>

namespace futurerand {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedIpv4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  if (text.size() > 45) return std::nullopt;
  const std::string terminated(text);
  Address address;
  if (inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) == 1) return address;
  std::copy(kMappedIpv4.begin(), kMappedIpv4.end(), address.bytes.begin());
  if (inet_pton(AF_INET, terminated.c_str(), address.bytes.data() + kMappedIpv4.size()) == 1) {
    return address;
  }
  return std::nullopt;
}

bool Address::is_ipv4() const {
  return std::equal(kMappedIpv4.begin(), kMappedIpv4.end(), bytes.begin());
}

bool Address::is_loopback() const {
  if (is_ipv4()) return bytes[12] == 127;
  return std::all_of(bytes.begin(), bytes.end() - 1, [](std::uint8_t byte) { return byte == 0; }) &&
         bytes.back() == 1;
}

Address Address::network() const {
  Address network = *this;
  if (!is_ipv4()) std::fill(network.bytes.begin() + 8, network.bytes.end(), std::uint8_t{0});
  return network;
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<Address> first = Address::parse(text.substr(0, slash));
  if (!first) return std::nullopt;
  AddressRange range{*first};
  if (slash == text.npos) return range;
  const std::string_view bits = text.substr(slash + 1);
  const unsigned most = first->is_ipv4() ? 32 : 128;
  unsigned given = 0;
  const auto read = std::from_chars(bits.data(), bits.data() + bits.size(), given);
  if (read.ec != std::errc() || read.ptr != bits.data() + bits.size() || given > most) {
    return std::nullopt;
  }
  range.bits = 128 - most + given;
  return range;
}

bool AddressRange::contains(const Address& address) const {
  for (unsigned bit = 0; bit < bits; bit += 8) {
    const unsigned compared = std::min(8U, bits - bit);
    const unsigned mask = 0xffU << (8 - compared) & 0xffU;
    if (((first.bytes[bit / 8] ^ address.bytes[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

Address sender_of(const Address& peer, std::string_view x_forwarded_for,
                  const std::vector<AddressRange>& trusted) {
  const auto is_trusted = [&](const Address& address) {
    return std::any_of(trusted.begin(), trusted.end(),
                       [&](const AddressRange& range) { return range.contains(address); });
  };
  Address sender = peer;
  while (is_trusted(sender) && !x_forwarded_for.empty()) {
    const std::size_t comma = x_forwarded_for.rfind(',');
    const std::string_view last =
        trimmed(x_forwarded_for.substr(comma == x_forwarded_for.npos ? 0 : comma + 1));
    const std::optional<Address> address = Address::parse(last);
    if (!address) break;
    sender = *address;
    x_forwarded_for = x_forwarded_for.substr(0, comma == x_forwarded_for.npos ? 0 : comma);
  }
  return sender;
}

}  // namespace futurerand
