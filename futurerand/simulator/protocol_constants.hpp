// Constants of a protocol with free choice, as left by its authors. The protocol's own file
// declares them; the command makes a flag of each.
#pragma once

#include <map>
#include <optional>
#include <string_view>

namespace futurerand {

struct ProtocolConstant {
  std::string_view name;        // of its flag, without the dashes
  std::string_view symbol;      // of its value in --help
  std::string_view meaning;     // one line for --help
  std::optional<double> usual;  // none: the protocol chooses it from its other settings
  bool whole = false;           // a number of periods
};

// The given constants. Constants must outlive it: they are known by their names.
class ProtocolConstants {
 public:
  void set(const ProtocolConstant& constant, double value) { given_[constant.name] = value; }
  bool empty() const { return given_.empty(); }

  // Returns the given value, else the default, else none.
  std::optional<double> find(const ProtocolConstant& constant) const {
    const auto found = given_.find(constant.name);
    return found == given_.end() ? constant.usual : found->second;
  }
  // Requires a constant with a usual value.
  double at(const ProtocolConstant& constant) const { return find(constant).value(); }

 private:
  std::map<std::string_view, double> given_;
};

}  // namespace futurerand
