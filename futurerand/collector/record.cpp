#include "futurerand/collector/record.hpp"

#include <algorithm>
#include <cstdlib>

namespace futurerand {
namespace {

enum Tag : std::uint8_t { kCreated = 1, kAdvanced = 2, kMessages = 3 };

// Of a message: an enrolment, or a report of so many signs.
constexpr std::uint64_t kEnrolment = 0;

void put_id(std::string& bytes, const ClientId& client) {
  bytes.append(reinterpret_cast<const char*>(client.bytes.data()), client.bytes.size());
}

void put_bytes(std::string& out, std::string_view bytes) {
  put_varint(out, bytes.size());
  out += bytes;
}

ClientId read_id(ByteReader& in) {
  ClientId client;
  const std::string_view bytes = in.take(client.bytes.size());
  std::copy(bytes.begin(), bytes.end(), client.bytes.begin());
  return client;
}

std::string_view read_bytes(ByteReader& in) { return in.take(in.varint()); }

}  // namespace

void put_record(std::string& group, const Record& record) {
  if (const auto* created = std::get_if<MetricCreated>(&record)) {
    put_varint(group, kCreated);
    put_bytes(group, created->definition);
  } else if (const auto* advanced = std::get_if<PeriodAdvanced>(&record)) {
    put_varint(group, kAdvanced);
    put_varint(group, advanced->metric);
    put_varint(group, advanced->period);
  } else {
    const auto& accepted = std::get<MessagesAccepted>(record);
    put_varint(group, kMessages);
    put_varint(group, accepted.metric);
    put_varint(group, accepted.period);
    put_bytes(group, accepted.bytes);
  }
}

Result<std::vector<Record>> read_records(std::string_view group) {
  std::vector<Record> records;
  ByteReader in(group);
  while (in.ok() && in.remaining() > 0) {
    const std::uint64_t tag = in.varint();
    if (tag == kCreated) {
      records.push_back(MetricCreated{std::string(read_bytes(in))});
    } else if (tag == kAdvanced) {
      PeriodAdvanced advanced;
      advanced.metric = in.varint32();
      advanced.period = in.varint32();
      records.push_back(advanced);
    } else if (tag == kMessages) {
      MessagesAccepted accepted;
      accepted.metric = in.varint32();
      accepted.period = in.varint32();
      accepted.bytes = read_bytes(in);
      records.push_back(accepted);
    } else {
      return Error{"unknown record " + std::to_string(tag)};
    }
  }
  if (!in.ok()) return Error{"a record ends too early"};
  return records;
}

void put_message(std::string& bytes, const Enrolment& enrolment) {
  put_varint(bytes, kEnrolment);
  put_id(bytes, enrolment.client);
  put_varint(bytes, enrolment.view);
  put_varint(bytes, enrolment.period);
  put_varint(bytes, enrolment.index);
}

void put_message(std::string& bytes, const Report& report, std::uint32_t from,
                 std::uint32_t count) {
  const std::string_view signs = std::string_view(report.signs).substr(from, count);
  if (signs.empty()) std::abort();
  put_varint(bytes, signs.size());
  put_id(bytes, report.client);
  put_varint(bytes, report.first_index + from);
  for (std::size_t at = 0; at < signs.size(); at += 8) {
    unsigned packed = 0;
    for (std::size_t bit = 0; bit < 8 && at + bit < signs.size(); ++bit) {
      if (signs[at + bit] == '-') packed |= 1U << bit;
    }
    bytes.push_back(static_cast<char>(packed));
  }
}

bool MessageReader::next(Message& message) {
  if (!in_.ok() || in_.remaining() == 0) return false;
  const std::uint64_t count = in_.varint();
  if (count == kEnrolment) {
    Enrolment enrolment;
    enrolment.client = read_id(in_);
    enrolment.view = in_.varint32();
    enrolment.period = in_.varint32();
    enrolment.index = in_.varint32();
    message = enrolment;
    return in_.ok();
  }
  if (!std::holds_alternative<Report>(message)) message = Report{};
  auto& report = std::get<Report>(message);
  report.client = read_id(in_);
  report.first_index = in_.varint32();
  const std::string_view packed = in_.take(count / 8 + (count % 8 != 0 ? 1 : 0));
  if (!in_.ok()) return false;
  report.signs.resize(count);
  for (std::size_t at = 0; at < count; ++at) {
    const unsigned bits = static_cast<std::uint8_t>(packed[at / 8]);
    report.signs[at] = (bits >> (at % 8) & 1U) != 0 ? '-' : '+';
  }
  return true;
}

}  // namespace futurerand
