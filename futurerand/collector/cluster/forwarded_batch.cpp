#include "futurerand/collector/cluster/forwarded_batch.hpp"

#include <algorithm>

#include "futurerand/collector/log/bytes.hpp"

namespace futurerand {
namespace {

constexpr std::uint8_t kForwardVersion = 1;

}  // namespace

std::string to_bytes(const Batch& batch, Period period) {
  std::string bytes;
  put_varint(bytes, kForwardVersion);
  put_varint(bytes, batch.metric);
  put_varint(bytes, period);
  put_varint(bytes, batch.too_long.size());
  for (const auto& [line, client] : batch.too_long) {
    put_varint(bytes, line);
    bytes.append(reinterpret_cast<const char*>(client.bytes.data()), client.bytes.size());
  }
  put_varint(bytes, batch.lines.size());
  std::uint32_t before = 0;
  for (const std::uint32_t line : batch.lines) {
    put_varint(bytes, line - before);
    before = line;
  }
  for (const Message& message : batch.messages) {
    if (const auto* enrolment = std::get_if<Enrolment>(&message)) {
      put_message(bytes, *enrolment);
    } else if (const auto* heartbeat = std::get_if<Heartbeat>(&message)) {
      put_message(bytes, *heartbeat);
    } else {
      const auto& report = std::get<Report>(message);
      put_message(bytes, report.client, report.first_index, report.signs);
    }
  }
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
  for (std::uint64_t left = in.varint(); left > 0 && in.ok(); --left) {
    const std::uint32_t line = in.varint32();
    ClientId client;
    const std::string_view id = in.take(client.bytes.size());
    std::copy(id.begin(), id.end(), client.bytes.begin());
    batch.too_long.emplace_back(line, client);
  }
  const std::uint64_t lines = in.varint();
  if (!in.ok() || lines > in.remaining()) return damaged;
  std::uint64_t line = 0;
  for (std::uint64_t at = 0; at < lines; ++at) {
    line += in.varint();
    if (!in.ok() || line > UINT32_MAX) return damaged;
    batch.lines.push_back(static_cast<std::uint32_t>(line));
  }
  MessageReader messages(in.take(in.remaining()));
  for (Message message; batch.messages.size() < lines && messages.next(message);) {
    const auto* report = std::get_if<Report>(&message);
    if (report != nullptr && report->signs.empty()) return damaged;
    batch.messages.push_back(std::move(message));
    message = Enrolment{};
  }
  Message surplus;
  if (batch.messages.size() != lines || messages.next(surplus) || !messages.ok()) return damaged;
  return forwarded;
}

}  // namespace futurerand
