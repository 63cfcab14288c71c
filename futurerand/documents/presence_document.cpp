#include "futurerand/documents/presence_document.hpp"

#include <algorithm>

#include "futurerand/documents/number_array.hpp"

namespace futurerand {
namespace {

using Integers = std::vector<std::int64_t>;

struct Column {
  const char* key;
  std::vector<DeviceSum> PresenceTable::*table;
  std::int64_t DeviceSum::*member;
};

constexpr Column kColumns[] = {
    {"devices", &PresenceTable::reported, &DeviceSum::devices},
    {"estimates", &PresenceTable::reported, &DeviceSum::estimate},
    {"variances", &PresenceTable::reported, &DeviceSum::variance},
    {"missing_devices", &PresenceTable::missing, &DeviceSum::devices},
    {"missing_estimates", &PresenceTable::missing, &DeviceSum::estimate},
    {"missing_variances", &PresenceTable::missing, &DeviceSum::variance},
};

void put_rows_of(JsonWriter& json, const char* key, const std::vector<RowSums>& rows,
                 Integers RowSums::*column) {
  json.key(key).begin_array();
  for (const RowSums& at : rows) json.array(are_zero(at.*column) ? Integers() : at.*column);
  json.end_array();
}

void read_rows_of(JsonObject& object, const char* key, std::vector<RowSums>& rows,
                  Integers RowSums::*column) {
  const nlohmann::json& arrays = object.array(key);
  rows.resize(std::max(rows.size(), arrays.size()));
  for (std::size_t t = 0; t < arrays.size(); ++t) {
    rows[t].*column = read_numbers<std::int64_t>(object, key, arrays[t]);
  }
}

PresenceTable read_table(const nlohmann::json& json, JsonObject& document) {
  JsonObject object(json, document.where());
  PresenceTable table;
  for (const Column& column : kColumns) {
    const Integers numbers =
        read_numbers<std::int64_t>(object, column.key, object.array(column.key));
    std::vector<DeviceSum>& sums = table.*column.table;
    if (sums.empty()) sums.resize(numbers.size());
    if (sums.size() != numbers.size()) {
      object.fail(std::string(column.key) + " has another length than the others");
      break;
    }
    for (std::size_t t = 0; t < numbers.size(); ++t) sums[t].*column.member = numbers[t];
  }
  table.clipped = read_numbers<std::int64_t>(object, "clipped", object.array("clipped"));
  if (object.has("rows")) {
    read_rows_of(object, "rows", table.rows, &RowSums::reported);
    read_rows_of(object, "missing_rows", table.rows, &RowSums::missing);
  }
  if (object.error()) document.fail("presence: " + object.error()->message);
  return table;
}

}  // namespace

void put_presence_tables(JsonWriter& json, const std::vector<PresenceTable>& tables) {
  json.begin_array();
  for (const PresenceTable& table : tables) {
    json.begin_object();
    for (const Column& column : kColumns) {
      Integers numbers;
      for (const DeviceSum& sum : table.*column.table) numbers.push_back(sum.*column.member);
      json.array(column.key, numbers);
    }
    json.array("clipped", table.clipped);
    if (!table.rows.empty()) {
      put_rows_of(json, "rows", table.rows, &RowSums::reported);
      put_rows_of(json, "missing_rows", table.rows, &RowSums::missing);
    }
    json.end_object();
  }
  json.end_array();
}

std::vector<PresenceTable> read_presence_tables(JsonObject& object, std::string_view key) {
  std::vector<PresenceTable> tables;
  for (const nlohmann::json& table : object.array(key)) tables.push_back(read_table(table, object));
  return tables;
}

}  // namespace futurerand
