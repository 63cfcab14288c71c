#include "futurerand/tpm/tpm_counter.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "futurerand/client/sealed.hpp"

#if __has_include( \
    <tss2/tss2_esys.h>) && __has_include(<tss2/tss2_tctildr.h>) && __has_include(<dlfcn.h>)
#include <dlfcn.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tctildr.h>
#define FUTURERAND_HAS_TPM 1
#endif

namespace futurerand {

#if defined(FUTURERAND_HAS_TPM)
namespace {

constexpr std::uint32_t kFirstIndex = 0x01800000, kLastIndex = 0x01bfffff;

// The calls of tpm2-tss that are used. It stays loaded.
struct Tss {
  decltype(&Tss2_TctiLdr_Initialize) load_tcti = nullptr;
  decltype(&Tss2_TctiLdr_Finalize) unload_tcti = nullptr;
  decltype(&Esys_Initialize) begin = nullptr;
  decltype(&Esys_Finalize) end = nullptr;
  decltype(&Esys_Free) free = nullptr;
  decltype(&Esys_GetCapability) capability = nullptr;
  decltype(&Esys_TR_FromTPMPublic) handle_of = nullptr;
  decltype(&Esys_NV_ReadPublic) read_public = nullptr;
  decltype(&Esys_NV_DefineSpace) define = nullptr;
  decltype(&Esys_NV_Increment) increment = nullptr;
  decltype(&Esys_NV_Read) read = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  // POSIX says that this conversion works.
  function = library == nullptr ? nullptr : reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<Tss> load_tss() {
  Tss tss;
  void* tcti = ::dlopen("libtss2-tctildr.so.0", RTLD_NOW);
  void* esys = ::dlopen("libtss2-esys.so.0", RTLD_NOW);
  const bool found =
      find(tcti, "Tss2_TctiLdr_Initialize", tss.load_tcti) &&
      find(tcti, "Tss2_TctiLdr_Finalize", tss.unload_tcti) &&
      find(esys, "Esys_Initialize", tss.begin) && find(esys, "Esys_Finalize", tss.end) &&
      find(esys, "Esys_Free", tss.free) && find(esys, "Esys_GetCapability", tss.capability) &&
      find(esys, "Esys_TR_FromTPMPublic", tss.handle_of) &&
      find(esys, "Esys_NV_ReadPublic", tss.read_public) &&
      find(esys, "Esys_NV_DefineSpace", tss.define) &&
      find(esys, "Esys_NV_Increment", tss.increment) && find(esys, "Esys_NV_Read", tss.read);
  if (found) return tss;
  return Error{
      "tpm2-tss cannot be loaded; expected libtss2-esys and libtss2-tctildr on this system",
      ErrorCode::kNotFound};
}

// A connection to the TPM for one call: nothing stays open between the periods.
class Connection {
 public:
  explicit Connection(const Tss& tss) : tss_(tss) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (esys_ != nullptr) tss_.end(&esys_);
    if (tcti_ != nullptr) tss_.unload_tcti(&tcti_);
  }

  Status open(const std::string& tcti) {
    TSS2_RC code = tss_.load_tcti(tcti.empty() ? nullptr : tcti.c_str(), &tcti_);
    if (code == TSS2_RC_SUCCESS) code = tss_.begin(&esys_, tcti_, nullptr);
    return check(code, "be reached");
  }
  // Tells whether the index exists. Asking for one that does not would print a warning.
  Result<bool> has(std::uint32_t index) {
    TPMI_YES_NO more = 0;
    TPMS_CAPABILITY_DATA* data = nullptr;
    const Status asked = check(tss_.capability(esys_, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                               TPM2_CAP_HANDLES, index, 1, &more, &data),
                               "list its counters");
    if (!asked) return asked.error();
    const bool found = data->data.handles.count > 0 && data->data.handles.handle[0] == index;
    tss_.free(data);
    return found;
  }
  // Takes up an index that exists. kRefused if it is no counter.
  Status take(std::uint32_t index) {
    Status taken =
        check(tss_.handle_of(esys_, index, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &handle_),
              "give its counter");
    if (!taken) return taken;
    TPM2B_NV_PUBLIC* about = nullptr;
    taken = check(
        tss_.read_public(esys_, handle_, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &about, nullptr),
        "describe its counter");
    if (!taken) return taken;
    const TPMA_NV attributes = about->nvPublic.attributes;
    tss_.free(about);
    written_ = (attributes & TPMA_NV_WRITTEN) != 0;
    if ((attributes & TPMA_NV_TPM2_NT_MASK) >> TPMA_NV_TPM2_NT_SHIFT == TPM2_NT_COUNTER) return {};
    return Error{"the TPM's NV index is something else than a counter; expected a free index",
                 ErrorCode::kInvalid};
  }
  Status define(std::uint32_t index) {
    TPM2B_NV_PUBLIC about{};
    about.nvPublic.nvIndex = index;
    about.nvPublic.nameAlg = TPM2_ALG_SHA256;
    about.nvPublic.attributes = TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE | TPMA_NV_NO_DA |
                                (TPM2_NT_COUNTER << TPMA_NV_TPM2_NT_SHIFT);
    about.nvPublic.dataSize = sizeof(std::uint64_t);
    const TPM2B_AUTH none{};
    return check(tss_.define(esys_, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE,
                             &none, &about, &handle_),
                 "make a counter");
  }
  Status increment() {
    return check(
        tss_.increment(esys_, handle_, handle_, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE),
        "count");
  }
  Result<std::uint64_t> value() {
    TPM2B_MAX_NV_BUFFER* bytes = nullptr;
    const Status read = check(tss_.read(esys_, handle_, handle_, ESYS_TR_PASSWORD, ESYS_TR_NONE,
                                        ESYS_TR_NONE, sizeof(std::uint64_t), 0, &bytes),
                              "say its count");
    if (!read) return read.error();
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes->size; ++i) value = value << 8 | bytes->buffer[i];
    tss_.free(bytes);
    return value;
  }
  bool written() const { return written_; }

 private:
  static Status check(TSS2_RC code, const char* what) {
    if (code == TSS2_RC_SUCCESS) return {};
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%x", static_cast<unsigned>(code));
    return Error{"the TPM cannot " + std::string(what) + " (code " + text.data() + ")",
                 ErrorCode::kNotFound};
  }

  const Tss& tss_;
  TSS2_TCTI_CONTEXT* tcti_ = nullptr;
  ESYS_CONTEXT* esys_ = nullptr;
  ESYS_TR handle_ = ESYS_TR_NONE;
  bool written_ = false;
};

class TpmCounter final : public HardwareCounter {
 public:
  TpmCounter(const Tss& tss, std::string tcti, std::uint32_t index)
      : tss_(tss), tcti_(std::move(tcti)), index_(index) {}

  std::string name() const override {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "tpm 0x%08x", static_cast<unsigned>(index_));
    return text.data();
  }

  Result<std::optional<std::uint64_t>> read() override {
    Connection tpm(tss_);
    if (const Status open = tpm.open(tcti_); !open) return open.error();
    const Result<bool> exists = tpm.has(index_);
    if (!exists) return exists.error();
    if (!*exists) return std::optional<std::uint64_t>();
    if (const Status taken = tpm.take(index_); !taken) return taken.error();
    if (!tpm.written()) return std::optional<std::uint64_t>();
    const Result<std::uint64_t> value = tpm.value();
    if (!value) return value.error();
    return std::optional<std::uint64_t>(*value);
  }

  Result<std::uint64_t> increment() override {
    Connection tpm(tss_);
    if (const Status open = tpm.open(tcti_); !open) return open.error();
    const Result<bool> exists = tpm.has(index_);
    if (!exists) return exists.error();
    const Status ready = *exists ? tpm.take(index_) : tpm.define(index_);
    if (!ready) return ready.error();
    if (const Status counted = tpm.increment(); !counted) return counted.error();
    return tpm.value();
  }

 private:
  Tss tss_;
  std::string tcti_;
  std::uint32_t index_;
};

}  // namespace

Result<std::unique_ptr<HardwareCounter>> open_tpm_counter(const std::string& tcti,
                                                          std::uint32_t index,
                                                          const std::string& folder) {
  if (index == 0) {
    char* path = ::realpath(folder.c_str(), nullptr);
    if (path == nullptr) {
      return Error{"the folder '" + folder + "' has no path; expected one that exists",
                   ErrorCode::kNotFound};
    }
    const Digest digest = blake2b(bytes_of(path));
    std::free(path);
    const std::uint32_t bits =
        std::uint32_t{digest[0]} | std::uint32_t{digest[1]} << 8U | std::uint32_t{digest[2]} << 16U;
    index = kFirstIndex + bits % (kLastIndex - kFirstIndex + 1);
  }
  if (index < kFirstIndex || index > kLastIndex) {
    return Error{"the TPM's NV index is " + std::to_string(index) +
                 "; expected 0x01800000 to 0x01bfffff, which are the owner's"};
  }
  Result<Tss> tss = load_tss();
  if (!tss) return tss.error();
  return std::unique_ptr<HardwareCounter>(std::make_unique<TpmCounter>(*tss, tcti, index));
}

#else

Result<std::unique_ptr<HardwareCounter>> open_tpm_counter(const std::string&, std::uint32_t,
                                                          const std::string&) {
  return Error{"this library was built without TPM support; expected tpm2-tss when it was built",
               ErrorCode::kNotFound};
}

#endif

}  // namespace futurerand
