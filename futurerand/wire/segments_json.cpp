#include "futurerand/wire/segments_json.hpp"

#include <utility>
#include <vector>

#include "futurerand/wire/json_writer.hpp"

namespace futurerand {

std::string to_json(const Segments& segments) {
  JsonWriter json;
  json.begin_object().member("name", segments.name()).array("values", segments.values());
  return std::move(json.end_object()).take();
}

Segments read_segment_key(JsonObject& object) {
  if (object.error() || !object.has("segment")) return {};
  const nlohmann::json& json = object.object("segment");
  if (object.error()) return {};
  JsonObject segment(json, "segment", {"name", "values"});
  std::string name = segment.text("name");
  std::vector<std::string> values;
  for (const nlohmann::json& value : segment.array("values")) {
    const auto* text = value.get_ptr<const std::string*>();
    if (text == nullptr) segment.fail("a value is no text; expected texts");
    if (text != nullptr) values.push_back(*text);
  }
  if (segment.error()) {
    object.fail(segment.error()->message);
    return {};
  }
  Result<Segments> segments = Segments::create(std::move(name), std::move(values));
  if (!segments) object.fail("segment: " + segments.error().message);
  return segments ? *std::move(segments) : Segments();
}

}  // namespace futurerand
