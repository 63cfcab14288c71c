#include "futurerand/collector/cluster/cluster_file.hpp"

#include <array>

#include <sodium/crypto_generichash.h>
#include <sodium/utils.h>

#include "futurerand/wire/json_object.hpp"

namespace futurerand {
namespace {

constexpr std::size_t kMinSecret = 32;
constexpr std::size_t kMaxDatabases = 1024;

}  // namespace

std::string ClusterFile::id() const {
  std::array<unsigned char, 16> hash{};
  const std::string named = "futurerand cluster " + secret;
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(named.data()),
                     named.size(), nullptr, 0);
  std::array<char, 2 * hash.size() + 1> hex{};
  sodium_bin2hex(hex.data(), hex.size(), hash.data(), hash.size());
  return hex.data();
}

Result<ClusterFile> parse_cluster_file(std::string_view text) {
  const Result<nlohmann::json> json = parse_json_object(text, "the cluster file");
  if (!json) return json.error();
  JsonObject object(*json, "the cluster file", {"databases", "secret", "ca_file"});
  ClusterFile file;
  for (const nlohmann::json& database : object.array("databases")) {
    const auto* connection = database.get_ptr<const std::string*>();
    if (connection == nullptr || connection->empty()) {
      object.fail("databases are connection strings such as 'host=db1 dbname=futurerand'");
      break;
    }
    file.databases.push_back(*connection);
  }
  file.secret = object.text("secret");
  if (object.has("ca_file")) file.ca_file = object.text("ca_file");
  if (!object.error() && (file.databases.empty() || file.databases.size() > kMaxDatabases)) {
    object.fail("it lists " + std::to_string(file.databases.size()) + " databases; expected 1 to " +
                std::to_string(kMaxDatabases));
  }
  if (!object.error() && file.secret.size() < kMinSecret) {
    object.fail("its secret has less than " + std::to_string(kMinSecret) +
                " characters; expected a random one, such as of 'openssl rand -hex 32'");
  }
  if (object.error()) return *object.error();
  return file;
}

}  // namespace futurerand
