#include "futurerand/wire/protocol_name.hpp"

namespace futurerand {

Protocol read_protocol(JsonObject& object) {
  const std::string& name = object.text("protocol");
  const std::optional<Protocol> protocol = protocol_named(name);
  if (protocol) return *protocol;
  std::string names;
  for (const Protocol known : kProtocols) {
    names += (names.empty() ? "" : ", ") + std::string(name_of(known));
  }
  object.fail("protocol " + shown(name) + " is unknown; expected one of " + names);
  return Protocol::kHybrid;
}

}  // namespace futurerand
