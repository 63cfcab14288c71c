// A TPM 2.0's NV counter, which no backup and no snapshot of a disk brings back. tpm2-tss is loaded
// when it is asked for, so that nothing else needs it.
//
// The index has an empty password: any program with access to the TPM may step it or remove it, and
// this device is then refused. It cannot be set back: a counter that is made again starts above all
// that the TPM ever counted.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "futurerand/client/record_counters.hpp"
#include "futurerand/core/base/result.hpp"

namespace futurerand {

// `tcti` names the TPM as tpm2-tss does: "device:/dev/tpmrm0", "swtpm:port=2321", or "" for the
// default. `index` is an NV index of the owner's, 0x01800000 to 0x01bfffff. 0 means one that
// follows from the folder's real path; the folder must exist. kNotFound without a TPM or tpm2-tss.
Result<std::unique_ptr<HardwareCounter>> open_tpm_counter(const std::string& tcti,
                                                          std::uint32_t index,
                                                          const std::string& folder);

}  // namespace futurerand
