#include "futurerand/wire/sums_document.hpp"

#include <limits>
#include <type_traits>

#include "futurerand/wire/json_object.hpp"
#include "futurerand/wire/json_text.hpp"

namespace futurerand {
namespace {

template <typename Number>
void put_array(std::string& out, std::string_view key, const std::vector<Number>& numbers) {
  out += key;
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    put_number(out, numbers[i]);
  }
  out += ']';
}

// nlohmann reads a whole number as unsigned unless it is negative.
template <typename Number>
std::vector<Number> read_array(JsonObject& object, std::string_view key) {
  std::vector<Number> numbers;
  for (const nlohmann::json& entry : object.array(key)) {
    const auto* natural = entry.get_ptr<const std::uint64_t*>();
    const auto* integer = entry.get_ptr<const std::int64_t*>();
    if (natural != nullptr && *natural <= std::uint64_t{std::numeric_limits<Number>::max()}) {
      numbers.push_back(static_cast<Number>(*natural));
    } else if (natural == nullptr && integer != nullptr && std::is_signed_v<Number>) {
      numbers.push_back(static_cast<Number>(*integer));
    } else {
      object.fail(std::string(key) + " has an element that is no count");
      break;
    }
  }
  return numbers;
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

}  // namespace

std::string to_json(const SumsDocument& document) {
  std::string out = "{\"metric\":";
  put_text(out, document.metric);
  out += ",\"current_period\":";
  put_number(out, std::uint64_t{document.current_period});
  if (!document.as_of.empty()) {
    out += ",\"as_of\":";
    put_text(out, document.as_of);
  }
  out += ",\"devices\":";
  put_number(out, document.devices);
  out += ",\"views\":[";
  for (std::size_t i = 0; i < document.views.size(); ++i) {
    const ViewSumsDocument& view = document.views[i];
    out += i > 0 ? ",{\"view\":" : "{\"view\":";
    put_number(out, std::uint64_t{i});
    out += ",\"order\":";
    put_number(out, std::uint64_t{view.order});
    put_array(out, ",\"sums\":", view.sums);
    put_array(out, ",\"counts\":", view.counts);
    if (!view.spoken.empty()) put_array(out, ",\"spoken\":", view.spoken);
    put_array(out, ",\"enrolled\":", view.enrolled);
    if (!view.snapshot_devices.empty()) {
      put_array(out, ",\"snapshot_devices\":", view.snapshot_devices);
    }
    out += '}';
  }
  out += "]}";
  return out;
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
  for (const nlohmann::json& view : object.array("views")) {
    document.views.push_back(read_view(view, object));
  }
  if (object.error()) return *object.error();
  return document;
}

}  // namespace futurerand
