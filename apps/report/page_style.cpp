#include "apps/report/page_style.hpp"

#include <fmt/core.h>

#include "apps/report/palette.hpp"
#include "apps/report/svg.hpp"

namespace futurerand::apps {
namespace {

constexpr std::size_t kColours = 7;

constexpr const char* kStyle = R"(* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 2rem 1.25rem 4rem; background: var(--page);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.5rem 0 .25rem; }
p { margin: .25rem 0 1rem; color: var(--muted); max-width: 46rem; }
.panels { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(300px, 1fr)); }
.card { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .75rem; }
.narrow { display: none; }
svg { display: block; width: 100%; height: auto; }
text { font: 11px system-ui, sans-serif; fill: var(--muted); }
.name { font-size: 13px; font-weight: 600; fill: var(--ink); } .end { text-anchor: end; }
.mid { text-anchor: middle; } .grid { stroke: var(--line); } .axis { stroke: var(--muted); }
.band { fill: var(--band); } .estimate { fill: none; stroke: var(--estimate); }
.truth { fill: none; stroke: var(--truth); stroke-width: 1.75; }
.dot { fill: var(--ink); } .dot.weaker { fill: var(--raised); stroke: var(--ink); stroke-width: 2; }
.tick { stroke: var(--truth); stroke-width: 2; }
.curve { fill: none; stroke-width: 2; } .label { font-weight: 600; }
.c0 { stroke: var(--curve-0); } .c1 { stroke: var(--curve-1); } .c2 { stroke: var(--curve-2); } .c3 { stroke: var(--curve-3); }
.c4 { stroke: var(--curve-4); } .c5 { stroke: var(--curve-5); } .c6 { stroke: var(--curve-6); }
.label.c0, .point.c0 { fill: var(--curve-0); } .label.c1, .point.c1 { fill: var(--curve-1); }
.label.c2, .point.c2 { fill: var(--curve-2); } .label.c3, .point.c3 { fill: var(--curve-3); }
.label.c4, .point.c4 { fill: var(--curve-4); } .label.c5, .point.c5 { fill: var(--curve-5); }
.label.c6, .point.c6 { fill: var(--curve-6); }
.label { stroke: none; }
.d1 { stroke-dasharray: 6 3; } .d2 { stroke-dasharray: 1.5 3; }
.point { stroke-dasharray: none; }
.entry { white-space: nowrap; margin-right: .9em; }
.key { display: inline-block; width: 1.4em; height: .55em; margin-right: .35em; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; white-space: nowrap; vertical-align: top; }
th { color: var(--muted); font-weight: 600; white-space: normal; }
th:first-child, td:first-child, .left { text-align: left; } .long { white-space: normal; }
@media (max-width: 760px) {
  body { padding: 1rem .75rem 3rem; } .wide { display: none; } .narrow { display: block; }
  .panels { grid-template-columns: 1fr; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td { display: block; }
  tr { border-bottom: 2px solid var(--line); padding: .5rem 0; }
  td, td.left, td:first-child { display: flex; justify-content: space-between; gap: 1rem; border: 0;
    padding: .1rem 0; text-align: right; white-space: normal; }
  td::before { content: attr(data-label); color: var(--muted); text-align: left; flex: none; }
  td:first-child { font-weight: 600; }
}
)";

}  // namespace

std::string page_head(std::string_view title) {
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<title>" +
         escape_html(title) + "</title>\n<style>\n" + std::string(palette_css()) + kStyle +
         "</style>\n</head><body><main>\n";
}

std::string page_end() { return "</main></body></html>\n"; }

std::string key_entry(std::string_view colour, std::string_view meaning) {
  return fmt::format(
      "<span class=\"entry\"><span class=\"key\" style=\"background:var(--{})\"></span>{}</span>",
      colour, escape_html(meaning));
}

std::string curve_class(std::size_t i) {
  return fmt::format("c{} d{}", i % kColours, i / kColours % 3);
}

std::string dot_at(double x, double y, int radius, bool whole_sequence) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"dot{}\"/>\n", x, y,
                     radius, whole_sequence ? "" : " weaker");
}

}  // namespace futurerand::apps
