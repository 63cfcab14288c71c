#include "futurerand/wire/coding_json.hpp"

#include <utility>

#include "futurerand/wire/json_writer.hpp"

namespace futurerand {
namespace {

// As short as possible. The JSON library writes it, because std::to_chars of a double would be half
// of what a browser loads.
std::string number_text(double value) {
  std::string text = nlohmann::json(value).dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

struct SettingsWriter {
  JsonWriter& json;

  void operator()(const YesNoCoding&) const {}
  void operator()(const NumberCoding& number) const {
    range(number);
    if (number.ignore_moves_below > 0) {
      json.key("ignore_moves_below").json(number_text(number.ignore_moves_below));
    }
  }
  void operator()(const CategoryCoding& category) const {
    json.array("labels", category.labels);
    if (category.other) json.member("other", *category.other);
  }
  void operator()(const DistributionCoding& distribution) const {
    range(distribution);
    json.member("buckets", distribution.buckets);
  }
  void operator()(const TextCoding& text) const { json.member("hash_bits", text.hash_bits); }

 private:
  template <typename Range>
  void range(const Range& value) const {
    json.key("low").json(number_text(value.low)).key("high").json(number_text(value.high));
    if (!value.unit.empty()) json.member("unit", value.unit);
  }
};

double number(JsonObject& object, std::string_view key) {
  const nlohmann::json* value = object.find(key);
  if (value == nullptr) return 0;
  if (!value->is_number()) object.fail(std::string(key) + " is no number; expected one");
  return value->is_number() ? value->get<double>() : 0;
}

template <typename Range>
Range read_range(JsonObject& object) {
  Range range;
  range.low = number(object, "low");
  range.high = number(object, "high");
  if (object.has("unit")) range.unit = object.text("unit");
  return range;
}

CodingSettings read_settings(CodingKind kind, JsonObject& object) {
  switch (kind) {
    case CodingKind::kYesNo:
      return YesNoCoding{};
    case CodingKind::kNumber: {
      auto settings = read_range<NumberCoding>(object);
      if (object.has("ignore_moves_below")) {
        settings.ignore_moves_below = number(object, "ignore_moves_below");
      }
      return settings;
    }
    case CodingKind::kCategory: {
      CategoryCoding settings;
      for (const nlohmann::json& label : object.array("labels")) {
        const auto* text = label.get_ptr<const std::string*>();
        if (text == nullptr) object.fail("a label is no text; expected texts");
        if (text != nullptr) settings.labels.push_back(*text);
      }
      if (object.has("other")) settings.other = object.text("other");
      return settings;
    }
    case CodingKind::kDistribution: {
      auto settings = read_range<DistributionCoding>(object);
      if (object.has("buckets")) {
        settings.buckets = object.integer32("buckets", Coding::kMinBuckets, Coding::kMaxBuckets);
      }
      return settings;
    }
    case CodingKind::kText: {
      TextCoding settings;
      if (object.has("hash_bits")) {
        settings.hash_bits =
            object.integer32("hash_bits", Coding::kMinHashBits, Coding::kMaxHashBits);
      }
      return settings;
    }
  }
  std::abort();
}

JsonObject object_of(CodingKind kind, const nlohmann::json& json, const std::string& where) {
  switch (kind) {
    case CodingKind::kYesNo:
      return {json, where, {"kind"}};
    case CodingKind::kNumber:
      return {json, where, {"kind", "low", "high", "unit", "ignore_moves_below"}};
    case CodingKind::kCategory:
      return {json, where, {"kind", "labels", "other"}};
    case CodingKind::kDistribution:
      return {json, where, {"kind", "low", "high", "unit", "buckets"}};
    case CodingKind::kText:
      return {json, where, {"kind", "hash_bits"}};
  }
  std::abort();
}

}  // namespace

std::string to_json(const Coding& coding) {
  JsonWriter json;
  json.begin_object().member("kind", name_of(coding.kind()));
  std::visit(SettingsWriter{json}, coding.settings());
  return std::move(json.end_object()).take();
}

Result<Coding> read_coding(const nlohmann::json& json, const std::string& where) {
  const auto found = json.is_object() ? json.find("kind") : json.end();
  const auto* name = found == json.end() ? nullptr : found->get_ptr<const std::string*>();
  const std::optional<CodingKind> kind = name == nullptr ? std::nullopt : coding_named(*name);
  if (!kind) {
    return Error{where + ": kind " +
                 (name == nullptr ? "is missing" : shown(*name) + " is unknown") +
                 "; expected yes_no, number, category, distribution or text"};
  }
  JsonObject object = object_of(*kind, json, where);
  CodingSettings settings = read_settings(*kind, object);
  if (object.error()) return *object.error();
  Result<Coding> coding = Coding::create(std::move(settings));
  if (!coding) return Error{where + ": " + coding.error().message};
  return coding;
}

Coding read_value_key(JsonObject& object) {
  if (object.error() || !object.has("value")) return {};
  Result<Coding> coding = read_coding(*object.find("value"), "value");
  if (!coding) object.fail(coding.error().message);
  return coding ? *coding : Coding();
}

}  // namespace futurerand
