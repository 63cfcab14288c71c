// The colours of all that is drawn for a browser.
#pragma once

#include <string_view>

namespace futurerand::apps {

// dashboard/src/palette.css at the time of the build: custom properties of CSS, such as --estimate.
// They follow the reader's choice of light or dark.
std::string_view palette_css();

}  // namespace futurerand::apps
