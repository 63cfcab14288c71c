// The colours of all that is drawn for a browser.
#pragma once

#include <string_view>

namespace futurerand::apps {

// dashboard/src/palette.css as it was when this was built: custom properties of CSS, such as
// --estimate, that follow the reader's choice of light or dark.
std::string_view palette_css();

}  // namespace futurerand::apps
