#include "futurerand/documents/sums_document.hpp"

#include "futurerand/documents/number_array.hpp"
#include "futurerand/wire/json_writer.hpp"

namespace futurerand {
namespace {

template <typename Number>
std::vector<Number> read_array(JsonObject& object, std::string_view key) {
  return read_numbers<Number>(object, key, object.array(key));
}

ViewSumsDocument read_view(const nlohmann::json& json, JsonObject& document) {
  JsonObject object(json, document.where());
  ViewSumsDocument view;
  view.order = object.integer32("order", 0, 31);
  view.sums = read_array<std::int64_t>(object, "sums");
  view.counts = read_array<std::uint64_t>(object, "counts");
  if (object.has("spoken")) view.spoken = read_array<std::uint64_t>(object, "spoken");
  view.enrolled = read_array<std::uint64_t>(object, "enrolled");
  if (object.has("snapshot_devices")) {
    view.snapshot_devices = read_array<std::uint64_t>(object, "snapshot_devices");
  }
  if (object.error()) document.fail("views: " + object.error()->message);
  return view;
}

void put_views(JsonWriter& json, const std::vector<ViewSumsDocument>& views) {
  json.key("views").begin_array();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const ViewSumsDocument& view = views[i];
    json.begin_object().member("view", i).member("order", view.order);
    json.array("sums", view.sums).array("counts", view.counts);
    if (!view.spoken.empty()) json.array("spoken", view.spoken);
    json.array("enrolled", view.enrolled);
    if (!view.snapshot_devices.empty()) json.array("snapshot_devices", view.snapshot_devices);
    json.end_object();
  }
  json.end_array();
}

std::vector<ViewSumsDocument> read_views(JsonObject& object) {
  std::vector<ViewSumsDocument> views;
  for (const nlohmann::json& view : object.array("views")) {
    views.push_back(read_view(view, object));
  }
  return views;
}

}  // namespace

std::string to_json(const SumsDocument& document) {
  JsonWriter json(1024);
  json.begin_object().member("metric", document.metric);
  json.member("current_period", document.current_period);
  if (!document.as_of.empty()) json.member("as_of", document.as_of);
  json.member("devices", document.devices);
  put_views(json, document.views);
  if (!document.segments.empty()) {
    json.key("segments").begin_array();
    for (const SegmentSumsDocument& one : document.segments) {
      json.begin_object().member("segment", one.segment);
      put_views(json, one.views);
      json.end_object();
    }
    json.end_array();
  }
  return std::move(json.end_object()).take();
}

Result<SumsDocument> parse_sums(std::string_view json) {
  const Result<nlohmann::json> parsed = parse_json_object(json, "the sums");
  if (!parsed) return parsed.error();
  JsonObject object(*parsed, "the sums");
  SumsDocument document{object.text("metric"),
                        object.integer32("current_period", 0, UINT32_MAX),
                        object.integer("devices", 0, UINT64_MAX),
                        {}};
  if (object.has("as_of")) document.as_of = object.text("as_of");
  document.views = read_views(object);
  if (object.has("segments")) {
    for (const nlohmann::json& entry : object.array("segments")) {
      JsonObject one(entry, "the sums: segments");
      SegmentSumsDocument segment{one.text("segment"), read_views(one)};
      if (one.error()) return *one.error();
      document.segments.push_back(std::move(segment));
    }
  }
  if (object.error()) return *object.error();
  return document;
}

}  // namespace futurerand
