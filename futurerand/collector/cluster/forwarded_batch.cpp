#include "futurerand/collector/cluster/forwarded_batch.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {
namespace {

constexpr std::uint8_t kForwardVersion = 1;

// The verdicts that a batch can have; the place of each is its number between collectors.
constexpr std::array kVerdicts = {Written::kDurable,  Written::kNoRoom,   Written::kBusy,
                                  Written::kNoMemory, Written::kStopping, Written::kMoved,
                                  Written::kGone,     Written::kClock};

void put(std::string&, const Report&) { std::abort(); }     // it is put as a run
void put(std::string&, const Forgotten&) { std::abort(); }  // it is of a log
template <typename Sent>
void put(std::string& bytes, const Sent& sent) {
  put_message(bytes, sent);
}

}  // namespace

void BatchBytes::add(const BatchPart& part) {
  const Batch& batch = *part.batch;
  for (const auto& [line, client] : batch.too_long) {
    put_varint(too_long_, line);
    too_long_.append(reinterpret_cast<const char*>(client.bytes.data()), client.bytes.size());
  }
  num_lines_ += part.size();
  for (std::size_t at = part.begin; at < part.end; ++at) {
    // They rise within a shard, and begin anew with the next one.
    const std::uint32_t line = batch.line(at);
    put_varint(lines_, zigzag(std::int64_t{line} - last_line_));
    last_line_ = line;
    const Message& message = batch.message(at);
    if (const auto* report = std::get_if<Report>(&message)) {
      put_message(messages_, *report, report->first_index, 0, report->signs.size());
    } else {
      std::visit([this](const auto& it) { put(messages_, it); }, message);
    }
  }
}

std::string BatchBytes::bytes(std::uint32_t metric, Period period) const {
  constexpr std::size_t kNumbers = 32;
  std::string bytes;
  bytes.reserve(kNumbers + too_long_.size() + lines_.size() + messages_.size());
  put_varint(bytes, kForwardVersion);
  put_varint(bytes, metric);
  put_varint(bytes, period);
  put_varint(bytes, num_lines_);
  bytes += too_long_;
  bytes += lines_;
  bytes += messages_;
  return bytes;
}

Result<ForwardedBatch> parse_forwarded_batch(std::string_view bytes) {
  const Error damaged{"the batch cannot be read"};
  ByteReader in(bytes);
  if (in.varint() != kForwardVersion) return Error{"the batch is of another version"};
  ForwardedBatch forwarded;
  Batch& batch = forwarded.batch;
  batch.metric = in.varint32();
  forwarded.period = in.varint32();
  const std::uint64_t lines = in.varint();
  if (lines == 0) {
    const std::uint32_t line = in.varint32();
    ClientId client;
    const std::string_view id = in.take(client.bytes.size());
    if (!in.at_end()) return damaged;
    std::copy(id.begin(), id.end(), client.bytes.begin());
    batch.too_long.emplace_back(line, client);
    return forwarded;
  }
  // A message has its client at least.
  if (!in.ok() || lines > in.remaining() / sizeof(ClientId)) return damaged;
  batch.lines.reserve(lines);
  batch.messages.resize(lines);
  std::int64_t line = 0;
  for (std::uint64_t at = 0; at < lines; ++at) {
    const std::int64_t step = from_zigzag(in.varint());
    if (!in.ok() || step > UINT32_MAX || step < -std::int64_t{UINT32_MAX}) return damaged;
    line += step;
    if (line < 0 || line > UINT32_MAX) return damaged;
    batch.lines.push_back(static_cast<std::uint32_t>(line));
  }
  MessageReader messages(in.take(in.remaining()));
  for (Message& message : batch.messages) {
    if (!messages.next(message)) return damaged;
    const auto* report = std::get_if<Report>(&message);
    if (report != nullptr && report->signs.empty()) return damaged;
    if (std::holds_alternative<Forgotten>(message)) return damaged;
  }
  Message surplus;
  if (messages.next(surplus) || !messages.ok()) return damaged;
  return forwarded;
}

std::string to_bytes(const WriteAnswer& written) {
  const auto* const verdict = std::find(kVerdicts.begin(), kVerdicts.end(), written.written);
  if (verdict == kVerdicts.end()) std::abort();
  const ReportAnswer& answer = written.batch;
  const LineCounts& counts = answer.counts;
  std::string bytes;
  put_varint(bytes, static_cast<std::uint64_t>(verdict - kVerdicts.begin()));
  for (const std::uint64_t number : {counts.accepted, counts.duplicates, counts.rejected,
                                     counts.early, answer.errors_not_shown}) {
    put_varint(bytes, number);
  }
  for (const LineError& error : answer.errors) {
    put_varint(bytes, error.line);
    put_varint(bytes, error.expected);
    for (const std::string* text : {&error.reason, &error.message}) {
      put_varint(bytes, text->size());
      bytes += *text;
    }
  }
  return bytes;
}

Result<WriteAnswer> parse_answer_bytes(std::string_view bytes) {
  ByteReader in(bytes);
  WriteAnswer written;
  const std::uint64_t verdict = in.varint();
  if (verdict >= kVerdicts.size()) return Error{"the answer has an unknown verdict"};
  written.written = kVerdicts[verdict];
  ReportAnswer& answer = written.batch;
  LineCounts& counts = answer.counts;
  for (std::uint64_t* number : {&counts.accepted, &counts.duplicates, &counts.rejected,
                                &counts.early, &answer.errors_not_shown}) {
    *number = in.varint();
  }
  while (in.ok() && in.remaining() > 0) {
    LineError error;
    error.line = in.varint32();
    error.expected = in.varint32();
    error.reason = in.take(in.varint());
    error.message = in.take(in.varint());
    answer.errors.push_back(std::move(error));
  }
  if (!in.at_end()) return Error{"the answer cannot be read"};
  return written;
}

}  // namespace futurerand
