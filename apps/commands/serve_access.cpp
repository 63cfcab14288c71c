#include "apps/commands/serve_access.hpp"

#include <chrono>
#include <memory>

#include <sys/stat.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/token_file.hpp"
#include "futurerand/wire/utc_time.hpp"

namespace futurerand::apps {
namespace {

TokenLists read_token_lists(const AccessFlags& flags) {
  return {.admin = read_tokens("admin", flags.admin_token_file),
          .read = read_tokens("read", flags.read_token_file),
          .submit = read_tokens("submit", flags.submit_token_file)};
}

void judge_certificate(const TlsIdentity& identity, const Say& say) {
  const std::chrono::sys_seconds end{std::chrono::seconds(identity.expires())};
  const auto now = std::chrono::system_clock::now();
  if (end <= now)
    say(Event::kCertificateExpired, "the TLS certificate expired at " + utc_text(end));
}

void judge_key_file(const std::string& path, const Say& say) {
  struct stat file {};
  if (stat(path.c_str(), &file) == 0 && (file.st_mode & S_IROTH) != 0) {
    say(Event::kKeyExposed, "everyone on this machine can read the TLS key in '" + path + "'");
  }
}

void read_again(const AccessFlags& flags, const Say& say, AccessTokens& tokens,
                TlsIdentity* identity) {
  try {
    tokens.replace(read_token_lists(flags));
    say(Event::kTokensRead, "read the tokens again");
  } catch (const Failure& failure) {
    say(Event::kTokensKept, std::string("kept the old tokens: ") + failure.what());
  }
  if (identity == nullptr) return;
  if (const Status read = identity->reload(); !read) {
    say(Event::kCertificateKept, "kept the old TLS certificate: " + read.error().message);
    return;
  }
  say(Event::kCertificateRead, "read the TLS certificate again");
  judge_certificate(*identity, say);
}

}  // namespace

void AccessFlags::add_to(CLI::App& command) {
  command
      .add_option("--admin-token-file", admin_token_file,
                  "file of admin tokens, one per line: for every call")
      ->envname("FUTURERAND_ADMIN_TOKEN_FILE")
      ->type_name("FILE");
  command
      .add_option("--read-token-file", read_token_file,
                  "file of tokens for reading, one per line; default: everyone may read")
      ->envname("FUTURERAND_READ_TOKEN_FILE")
      ->type_name("FILE");
  command
      .add_option("--submit-token-file", submit_token_file,
                  "file of tokens for reporting, one per line; default: everyone may report")
      ->envname("FUTURERAND_SUBMIT_TOKEN_FILE")
      ->type_name("FILE");
  CLI::Option* certificate = command
                                 .add_option("--tls-certificate", tls_certificate,
                                             "certificate chain as PEM: accept only TLS")
                                 ->envname("FUTURERAND_TLS_CERTIFICATE")
                                 ->type_name("FILE");
  CLI::Option* key = command.add_option("--tls-key", tls_key, "its key as PEM, without a password")
                         ->envname("FUTURERAND_TLS_KEY")
                         ->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
}

void read_access(const AccessFlags& flags, const Say& say, ServiceOptions& options) {
  const std::shared_ptr<AccessTokens> tokens = options.api.tokens;
  tokens->replace(read_token_lists(flags));
  if (!flags.tls_certificate.empty()) {
    options.server.tls = or_bad_input(TlsIdentity::load({flags.tls_certificate, flags.tls_key}));
    judge_certificate(*options.server.tls, say);
    judge_key_file(flags.tls_key, say);
  }
  options.server.reload = [flags, say, tokens, identity = options.server.tls] {
    read_again(flags, say, *tokens, identity.get());
  };
}

}  // namespace futurerand::apps
