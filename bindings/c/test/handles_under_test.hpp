// What tests of the C interface bring: a store and entropy, and the handles of one device.
#pragma once

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bindings/c/futurerand.h"
#include "bindings/vectors/client_vector.hpp"
#include "futurerand/wire/wire.hpp"

namespace futurerand::test {

// A store in memory that can be told to fail.
struct Records {
  std::map<std::string, std::vector<std::uint8_t>> saved;
  fr_code load_code = FR_OK;
  fr_code save_code = FR_OK;
  int saves_left = 1 << 30;  // fails when they are used up

  fr_store store() {
    return {this,
            [](void* context, const char* record, const std::uint8_t** bytes, std::size_t* size) {
              auto& self = *static_cast<Records*>(context);
              if (self.load_code != FR_OK) return self.load_code;
              const auto found = self.saved.find(record);
              if (found == self.saved.end()) return FR_NOT_FOUND;
              *bytes = found->second.data();
              *size = found->second.size();
              return FR_OK;
            },
            [](void* context, const char* record, const std::uint8_t* bytes, std::size_t size) {
              auto& self = *static_cast<Records*>(context);
              if (self.save_code != FR_OK) return self.save_code;
              if (self.saves_left-- <= 0) return FR_NO_ROOM;
              self.saved[record].assign(bytes, bytes + size);
              return FR_OK;
            },
            [](void* context, void (*each)(void*, const char*), void* list) {
              for (const auto& [name, bytes] : static_cast<Records*>(context)->saved) {
                each(list, name.c_str());
              }
              return FR_OK;
            }};
  }
};

struct Tape {
  std::vector<std::uint8_t> bytes;
  std::size_t used = 0;

  fr_entropy entropy() {
    return {this, [](void* context, std::uint8_t* out, std::size_t size) {
              auto& self = *static_cast<Tape*>(context);
              if (size > self.bytes.size() - self.used) return FR_NO_ENTROPY;
              std::memcpy(out, self.bytes.data() + self.used, size);
              self.used += size;
              return FR_OK;
            }};
  }
};

// All handles of one device in one metric, closed in any case.
struct Handles {
  fr_device* device = nullptr;
  fr_metric* metric = nullptr;
  fr_client* client = nullptr;
  fr_error error{};

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    fr_device_close(&device);  // before its client, which keeps it alive
    fr_client_close(&client);
    fr_metric_close(&metric);
  }
  fr_code open(const ClientVector& vector, Records& records, Tape& tape) {
    const fr_store store = records.store();
    const fr_entropy entropy = tape.entropy();
    if (const fr_code code = fr_device_open(&store, "16", nullptr, &entropy, &device, &error)) {
      return code;
    }
    if (const fr_code code =
            fr_metric_create(vector.metric.c_str(), vector.plan.data(), vector.plan.size(),
                             vector.start, vector.period_seconds, &metric, &error)) {
      return code;
    }
    return fr_client_open(device, metric, vector.joined, &client, &error);
  }
  fr_code observe(Period period, const KeptValue& value) {
    if (const auto* number = std::get_if<double>(&value)) {
      return fr_client_observe_number(client, period, *number, &error);
    }
    if (const auto* text = std::get_if<std::string>(&value)) {
      return fr_client_observe_text(client, period, text->data(), text->size(), &error);
    }
    return fr_client_observe(client, period, std::get<bool>(value), &error);
  }
  fr_code depart(DepartureStep::Call call, Period period) {
    switch (call) {
      case DepartureStep::Call::kLeave:
        return fr_client_leave(client, period, &error);
      case DepartureStep::Call::kForget:
        return fr_client_forget(client, period, &error);
      case DepartureStep::Call::kBeginPeriod:
        return fr_client_begin_period(client, period, &error);
    }
    return FR_INVALID;
  }
  fr_code acknowledge(const std::string& lines, const std::string& answer) {
    return fr_client_acknowledge(client, lines.data(), lines.size(), answer.data(), answer.size(),
                                 &error);
  }
  fr_code acknowledge(const std::string& lines) {
    return fr_client_acknowledge(client, lines.data(), lines.size(), nullptr, 0, &error);
  }
  std::string lines() {
    char* text = nullptr;
    EXPECT_EQ(fr_client_lines(client, &text, &error), FR_OK) << error.message;
    std::string copy = text == nullptr ? "" : text;
    fr_free(text);
    return copy;
  }
};

inline std::vector<ClientVector> all_vectors() {
  std::ifstream file(FUTURERAND_SOURCE_DIR "/tests/data/vectors.jsonl");
  std::vector<ClientVector> vectors;
  for (std::string line; std::getline(file, line);) vectors.push_back(*parse_vector(line));
  EXPECT_FALSE(vectors.empty());
  return vectors;
}

// The first vector of a metric whose values are of this kind, known by its name in the plan.
inline ClientVector vector_of(std::string_view kind) {
  static const std::vector<ClientVector> kVectors = all_vectors();
  for (const ClientVector& vector : kVectors) {
    if (name_of(parse_plan(vector.plan)->coding.kind()) == kind) return vector;
  }
  ADD_FAILURE() << "no vector of the kind " << kind;
  return {};
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

inline std::string text_of(char* text) {
  std::string copy = text == nullptr ? "" : text;
  fr_free(text);
  return copy;
}

// The answer of a collector that took all of these lines.
inline std::string accepted(const std::string& lines) {
  return R"({"accepted":)" + std::to_string(std::count(lines.begin(), lines.end(), '\n')) +
         R"(,"duplicates":0,"rejected":0,"early":0,"errors":[]})";
}

}  // namespace futurerand::test
