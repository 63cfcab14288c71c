// system_machine_identity() on Windows: what its installation drew.
#include <algorithm>
#include <array>

#include <windows.h>

#include "futurerand/client/machine_binding.hpp"

namespace futurerand {

std::string system_machine_identity() {
  std::array<char, 64> text{};
  DWORD size = text.size();
  if (RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Cryptography", "MachineGuid",
                   RRF_RT_REG_SZ | RRF_SUBKEY_WOW6464KEY, nullptr, text.data(),
                   &size) != ERROR_SUCCESS) {
    return {};
  }
  std::string digits = text.data();
  digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
  return digits.size() == 32 ? digits : std::string();
}

}  // namespace futurerand
