// Files of the page, built into the binary (tools/embed.py) and served as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "futurerand/collector/api/request.hpp"
#include "futurerand/collector/api/response.hpp"

namespace futurerand {

struct Asset {
  std::string_view path;  // "index.html", "assets/app.js"
  std::string_view content_type;
  std::string_view etag;  // quoted; changes with the bytes
  std::string_view body;
  std::string_view gzip;  // empty if compression does not help
};

using Assets = std::span<const Asset>;

// Answers with a file. `path` has no leading '/'; empty means index.html. 404 for an unknown file.
// Only pages of these origins may show it in a frame.
ApiResponse asset_response(Assets assets, std::string_view path, const ApiRequest& request,
                           const std::vector<std::string>& frame_ancestors);

}  // namespace futurerand
