#include "futurerand/collector/api/assets.hpp"

namespace futurerand {
namespace {

// No script, style, picture or request of another host, ever; no inline script or style. The client
// that certifies plans in the page is WebAssembly of this host.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors";

std::string policy(const std::vector<std::string>& frame_ancestors) {
  std::string text(kPolicy);
  for (const std::string& origin : frame_ancestors) text += " " + origin;
  return frame_ancestors.empty() ? text + " 'none'" : text;
}

}  // namespace

ApiResponse asset_response(Assets assets, std::string_view path, const ApiRequest& request,
                           const std::vector<std::string>& frame_ancestors) {
  if (path.empty()) path = "index.html";
  for (const Asset& asset : assets) {
    if (asset.path != path) continue;
    ApiResponse response;
    response.content_type = asset.content_type;
    // Names with a hash in them may be kept for ever; the page itself is asked for each time.
    const bool hashed = path.starts_with("assets/");
    response.headers = {
        {"ETag", std::string(asset.etag)},
        {"Cache-Control", hashed ? "public, max-age=31536000, immutable" : "no-cache"},
        {"Content-Security-Policy", policy(frame_ancestors)},
        {"Referrer-Policy", "no-referrer"},
        {"Vary", "Accept-Encoding"}};
    if (request.if_none_match.find(asset.etag) != std::string::npos) {
      response.status = 304;
      return response;
    }
    if (!asset.gzip.empty() && request.accept_encoding.find("gzip") != std::string::npos) {
      response.headers.emplace_back("Content-Encoding", "gzip");
      response.body = asset.gzip;
    } else {
      response.body = asset.body;
    }
    return response;
  }
  return error_response(404, "not_found", "there is nothing at this path");
}

}  // namespace futurerand
