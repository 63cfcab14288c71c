#include "futurerand/collector/log/record.hpp"

#include <algorithm>
#include <cstdlib>

namespace futurerand {
namespace {

enum Tag : std::uint8_t {
  kCreated = 1,
  kAdvanced = 2,
  kMessages = 3,
  kEnded = 4,
  kArchived = 5,
  kDeleted = 6,
  kImported = 7,
  kReopened = 8,
  kEndedWithDevices = 9,
  kCandidates = 10,
  kFinalized = 11,
  kAnnotated = 12,
};

// Of a message: an enrolment, a rarer kind, or twice the number of a report's signs, one more if
// some are silent.
constexpr std::uint64_t kEnrolment = 0;
constexpr std::uint64_t kRarerKind = 1;
enum class RarerKind : std::uint8_t {
  kLeave = 0,
  kForget = 1,
  kForgotten = 2,
  kEnrolmentInSegment = 3
};

std::uint64_t bytes_of(std::uint64_t bits) { return bits / 8 + (bits % 8 != 0 ? 1 : 0); }

// Calls f(from, count) for each 64 signs, and for what is left.
template <typename F>
void for_each_word(std::uint32_t from, std::uint32_t count, const F& f) {
  for (std::uint32_t at = 0; at < count; at += 64) f(from + at, std::min(count - at, 64U));
}

void put_bits(std::string& bytes, std::uint64_t bits, std::uint32_t count) {
  for (std::uint32_t shift = 0; shift < count; shift += 8) {
    bytes.push_back(static_cast<char>(bits >> shift));
  }
}

// Requires at most eight bytes.
std::uint64_t read_bits(std::string_view packed) {
  std::uint64_t bits = 0;
  for (std::size_t at = packed.size(); at > 0; --at) {
    bits = bits << 8 | static_cast<std::uint8_t>(packed[at - 1]);
  }
  return bits;
}

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

// Without its segment.
Enrolment read_enrolment(ByteReader& in, const ClientId& client) {
  Enrolment enrolment{client};
  enrolment.view = in.varint32();
  enrolment.period = in.varint32();
  enrolment.index = in.varint32();
  return enrolment;
}

}  // namespace

std::string to_lines(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += text + '\n';
  return lines;
}

std::vector<std::string> from_lines(std::string_view lines) {
  std::vector<std::string> texts;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    texts.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return texts;
}

void put_record(std::string& group, const Record& record) {
  if (const auto* created = std::get_if<MetricCreated>(&record)) {
    put_varint(group, kCreated);
    put_bytes(group, created->definition);
  } else if (const auto* advanced = std::get_if<PeriodAdvanced>(&record)) {
    put_varint(group, kAdvanced);
    put_varint(group, advanced->metric);
    put_varint(group, advanced->period);
  } else if (const auto* ended = std::get_if<MetricEnded>(&record)) {
    put_varint(group, ended->keeps_devices ? kEndedWithDevices : kEnded);
    put_varint(group, ended->metric);
    put_varint(group, ended->period);
  } else if (const auto* reopened = std::get_if<MetricReopened>(&record)) {
    put_varint(group, kReopened);
    put_varint(group, reopened->metric);
  } else if (const auto* archived = std::get_if<MetricArchived>(&record)) {
    put_varint(group, kArchived);
    put_varint(group, archived->metric);
    put_varint(group, archived->archived ? 1 : 0);
  } else if (const auto* deleted = std::get_if<MetricDeleted>(&record)) {
    put_varint(group, kDeleted);
    put_varint(group, deleted->metric);
  } else if (const auto* added = std::get_if<CandidatesAdded>(&record)) {
    put_varint(group, kCandidates);
    put_varint(group, added->metric);
    put_bytes(group, added->lines);
  } else if (const auto* annotated = std::get_if<MetricAnnotated>(&record)) {
    put_varint(group, kAnnotated);
    put_varint(group, annotated->metric);
    put_bytes(group, annotated->line);
  } else if (const auto* finalized = std::get_if<SeasonFinalized>(&record)) {
    put_varint(group, kFinalized);
    put_varint(group, finalized->metric);
    put_bytes(group, finalized->figures);
  } else if (const auto* imported = std::get_if<MetricImported>(&record)) {
    put_varint(group, kImported);
    put_bytes(group, imported->definition);
    put_varint(group, imported->period);
    put_bytes(group, imported->sums);
    put_bytes(group, imported->annotations);
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
    } else if (tag == kEnded || tag == kEndedWithDevices) {
      MetricEnded ended;
      ended.metric = in.varint32();
      ended.period = in.varint32();
      ended.keeps_devices = tag == kEndedWithDevices;
      records.push_back(ended);
    } else if (tag == kReopened) {
      records.push_back(MetricReopened{in.varint32()});
    } else if (tag == kArchived) {
      MetricArchived archived;
      archived.metric = in.varint32();
      archived.archived = in.varint() != 0;
      records.push_back(archived);
    } else if (tag == kDeleted) {
      records.push_back(MetricDeleted{in.varint32()});
    } else if (tag == kCandidates) {
      CandidatesAdded added;
      added.metric = in.varint32();
      added.lines = read_bytes(in);
      records.push_back(std::move(added));
    } else if (tag == kAnnotated) {
      MetricAnnotated annotated;
      annotated.metric = in.varint32();
      annotated.line = read_bytes(in);
      records.push_back(std::move(annotated));
    } else if (tag == kFinalized) {
      SeasonFinalized finalized;
      finalized.metric = in.varint32();
      finalized.figures = read_bytes(in);
      records.push_back(std::move(finalized));
    } else if (tag == kImported) {
      MetricImported imported;
      imported.definition = read_bytes(in);
      imported.period = in.varint32();
      imported.sums = read_bytes(in);
      imported.annotations = read_bytes(in);
      records.push_back(std::move(imported));
    } else {
      return Error{"unknown record " + std::to_string(tag)};
    }
  }
  if (!in.ok()) return Error{"a record ends too early"};
  return records;
}

void put_message(std::string& bytes, const Enrolment& enrolment) {
  if (enrolment.segment.empty()) {
    put_varint(bytes, kEnrolment);
  } else {
    put_varint(bytes, kRarerKind);
    put_varint(bytes, static_cast<std::uint64_t>(RarerKind::kEnrolmentInSegment));
  }
  put_id(bytes, enrolment.client);
  put_varint(bytes, enrolment.view);
  put_varint(bytes, enrolment.period);
  put_varint(bytes, enrolment.index);
  if (!enrolment.segment.empty()) put_bytes(bytes, enrolment.segment);
}

void put_message(std::string& bytes, const Report& report, std::uint32_t first_index,
                 std::uint32_t from, std::uint32_t count) {
  if (count == 0) std::abort();
  std::uint64_t zeros = 0;
  for_each_word(from, count, [&](std::uint32_t at, std::uint32_t some) {
    zeros |= report.signs.zero_bits(at, some);
  });
  put_varint(bytes, 2 * std::uint64_t{count} + (zeros != 0 ? 1 : 0));
  put_id(bytes, report.client);
  put_varint(bytes, first_index);
  for_each_word(from, count, [&](std::uint32_t at, std::uint32_t some) {
    put_bits(bytes, report.signs.minus_bits(at, some), some);
  });
  if (zeros == 0) return;
  for_each_word(from, count, [&](std::uint32_t at, std::uint32_t some) {
    put_bits(bytes, report.signs.zero_bits(at, some), some);
  });
}

void put_message(std::string& bytes, const Leave& leave) {
  put_varint(bytes, kRarerKind);
  put_varint(bytes, static_cast<std::uint64_t>(RarerKind::kLeave));
  put_id(bytes, leave.client);
  put_varint(bytes, leave.period);
}

void put_message(std::string& bytes, const Forget& forget) {
  put_varint(bytes, kRarerKind);
  put_varint(bytes, static_cast<std::uint64_t>(RarerKind::kForget));
  put_id(bytes, forget.client);
}

void put_message(std::string& bytes, const Forgotten& forgotten) {
  put_varint(bytes, kRarerKind);
  put_varint(bytes, static_cast<std::uint64_t>(RarerKind::kForgotten));
  put_id(bytes, forgotten.client);
  put_word(bytes, forgotten.word);
  put_varint(bytes, forgotten.own_words.size());
  for (const std::uint64_t word : forgotten.own_words) put_word(bytes, word);
}

bool MessageReader::read_rarer_kind(Message& message) {
  const std::uint64_t kind = in_.varint();
  const ClientId client = read_id(in_);
  if (kind == static_cast<std::uint64_t>(RarerKind::kLeave)) {
    message = Leave{client, in_.varint32()};
  } else if (kind == static_cast<std::uint64_t>(RarerKind::kForget)) {
    message = Forget{client};
  } else if (kind == static_cast<std::uint64_t>(RarerKind::kForgotten)) {
    Forgotten forgotten{client, in_.word()};
    const std::uint64_t count = in_.varint();
    if (count > in_.remaining() / sizeof(std::uint64_t)) in_.fail();
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) forgotten.own_words.push_back(in_.word());
    message = std::move(forgotten);
  } else if (kind == static_cast<std::uint64_t>(RarerKind::kEnrolmentInSegment)) {
    Enrolment enrolment = read_enrolment(in_, client);
    enrolment.segment = read_bytes(in_);
    if (enrolment.segment.empty()) in_.fail();  // it has another form
    message = std::move(enrolment);
  } else {
    in_.fail();
  }
  return in_.ok();
}

bool MessageReader::next(Message& message) {
  if (!in_.ok() || in_.remaining() == 0) return false;
  const std::uint64_t tag = in_.varint();
  if (tag == kEnrolment) {
    message = read_enrolment(in_, read_id(in_));
    return in_.ok();
  }
  if (tag == kRarerKind) return read_rarer_kind(message);
  if (!std::holds_alternative<Report>(message)) message = Report{};
  auto& report = std::get<Report>(message);
  report.client = read_id(in_);
  report.first_index = in_.varint32();
  const std::uint64_t count = tag / 2;
  if (count == 0 || count > UINT32_MAX) in_.fail();  // a report has signs
  const std::string_view minus = in_.take(bytes_of(count));
  const std::string_view zero = tag % 2 != 0 ? in_.take(bytes_of(count)) : std::string_view();
  if (!in_.ok()) return false;
  report.signs.clear();
  for_each_word(0, static_cast<std::uint32_t>(count), [&](std::uint32_t at, std::uint32_t some) {
    report.signs.append(some, read_bits(minus.substr(at / 8, bytes_of(some))),
                        zero.empty() ? 0 : read_bits(zero.substr(at / 8, bytes_of(some))));
  });
  return true;
}

}  // namespace futurerand
