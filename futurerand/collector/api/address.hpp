// Address: the source of a request, an IPv4 or IPv6 address; and ranges of addresses (CIDR).
//
// Thread safety: plain values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace futurerand {

struct Address {
  // IPv4 is stored as the IPv6 addresses ::ffff:0:0/96.
  std::array<std::uint8_t, 16> bytes{};

  // Reads "192.0.2.1" or "2001:db8::1"; nothing if the text is neither.
  static std::optional<Address> parse(std::string_view text);
  bool is_ipv4() const;
  bool is_loopback() const;
  // Returns the network of one subscriber: an IPv4 address, or the first half of an IPv6 address.
  Address network() const;
  friend auto operator<=>(const Address&, const Address&) = default;
};

struct AddressRange {
  Address first;
  unsigned bits = 128;  // shared by all

  // Reads "10.0.0.0/8", "2001:db8::/32", or one address.
  static std::optional<AddressRange> parse(std::string_view text);
  bool contains(const Address& address) const;
};

// Returns the sender of a request: the peer or, if that is a trusted proxy, the last address in its
// X-Forwarded-For other than such a proxy. Earlier entries come from untrusted clients and are
// ignored.
Address sender_of(const Address& peer, std::string_view x_forwarded_for,
                  const std::vector<AddressRange>& trusted);

}  // namespace futurerand
