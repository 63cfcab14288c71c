// How the pages that commands write look: one style, no script, nothing from a network.
#pragma once

#include <string>
#include <string_view>

namespace futurerand::apps {

// These are the pixels of charts for wide and for narrow screens; the style shows the one that
// fits.
inline constexpr int kWideChart = 900;
inline constexpr int kNarrowChart = 330;

// Returns the page from <!doctype> to <main>.
std::string page_head(std::string_view title);
// Closes what page_head opened.
std::string page_end();

// Returns an entry of a key: a colour of the palette, and what it means. It is not broken in two.
std::string key_entry(std::string_view colour, std::string_view meaning);

// Returns the classes of curve number i: a colour and dashes that together no two of twenty share.
std::string curve_class(std::size_t i);

// A dot is filled where a protocol is private over the whole sequence, and hollow elsewhere.
std::string dot_at(double x, double y, int radius, bool whole_sequence);

}  // namespace futurerand::apps
