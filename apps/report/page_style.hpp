// Look of the pages written by commands: one style, no script, nothing from a network.
#pragma once

#include <string>
#include <string_view>

namespace futurerand::apps {

// The pixels of charts for wide and for narrow screens; the style shows the fitting one.
inline constexpr int kWideChart = 900;
inline constexpr int kNarrowChart = 330;

// Returns the page from <!doctype> to <main>.
std::string page_head(std::string_view title);
// Closes the elements opened by page_head.
std::string page_end();

// Returns an entry of a key: a colour of the palette, and its meaning. It is not broken in two.
std::string key_entry(std::string_view colour, std::string_view meaning);

// Returns the classes of curve number i: a colour and dashes, different for any two of twenty
// curves.
std::string curve_class(std::size_t i);

// A dot is filled for a protocol with privacy over the whole sequence, and hollow otherwise.
std::string dot_at(double x, double y, int radius, bool whole_sequence);

}  // namespace futurerand::apps
