// The client's part of futurerand.h.
#include <vector>

#include "bindings/c/handles.hpp"
#include "bindings/c/text.hpp"
#include "futurerand/client/acknowledge.hpp"
#include "futurerand/wire/json_writer.hpp"
#include "futurerand/wire/wire.hpp"

using namespace futurerand;
using namespace futurerand::c;

namespace {

fr_code end(const Status& status, fr_error* error) {
  return status ? succeed(error) : fail(status.error(), error);
}

fr_code nothing_given(fr_error* error) {
  return fail(Error{"no lines were given; expected to be called after the lines were had"}, error);
}

}  // namespace

fr_code fr_client_open(fr_device* device, const fr_metric* metric, uint32_t period,
                       fr_client** client, fr_error* error) {
  if (const fr_code code = clear_out(client, error)) return code;
  if (device == nullptr) return closed("device", error);
  if (metric == nullptr) return closed("metric", error);
  return guarded(error, [&] {
    OpenDevice& open = *device->open;
    Result<Client> opened =
        Client::open(metric->terms, period, *open.ledger, *open.store, *open.entropy);
    if (!opened) return fail(opened.error(), error);
    *client = new fr_client{device->open, *std::move(opened)};
    return succeed(error);
  });
}

fr_code fr_client_observe(fr_client* client, uint32_t period, int value, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  if (value != 0 && value != 1) {
    // The message does not say what it was: whatever it is, it comes from the value.
    return fail(Error{"the value is neither 0 nor 1; expected one of them"}, error);
  }
  return guarded(error, [&] { return end(client->client.observe(period, value == 1), error); });
}

fr_code fr_client_observe_all(fr_client* client, const uint32_t* periods, const uint8_t* values,
                              size_t count, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  if (count > 0 && (periods == nullptr || values == nullptr)) {
    return fail(Error{"no periods or no values; expected both"}, error);
  }
  return guarded(error, [&] {
    std::vector<Observation> all;
    all.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      if (values[i] > 1) {
        return fail(Error{"a value is neither 0 nor 1; expected one of them"}, error);
      }
      all.push_back({periods[i], values[i] == 1});
    }
    return end(client->client.observe(all), error);
  });
}

fr_code fr_client_begin_period(fr_client* client, uint32_t period, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  client->client.begin_period(period);
  return succeed(error);
}

fr_code fr_client_lines(fr_client* client, char** lines, fr_error* error) {
  if (const fr_code code = clear_out(lines, error)) return code;
  if (client == nullptr) return closed("client", error);
  return guarded(error, [&] {
    Outbox outbox = client->client.outbox();
    const fr_code code = give_text(to_lines(outbox), lines, error);
    if (code != FR_OK) return code;
    client->given = std::move(outbox);
    client->has_given = true;
    return code;
  });
}

fr_code fr_client_settle(fr_client* client, const char* answer, size_t size, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  if (!client->has_given) return nothing_given(error);
  std::string_view text;
  if (!read_text(answer, size, text)) return fail(Error{"no answer; expected its JSON"}, error);
  return guarded(error, [&] {
    const Result<ReportAnswer> parsed = parse_report_answer(text);
    if (!parsed) return fail(parsed.error(), error);
    Client* const clients[] = {&client->client};
    const Result<SentBatch> sent = acknowledge(clients, {client->given}, *parsed);
    if (!sent) return fail(sent.error(), error);
    if (sent->clients[0].refusal) return fail(*sent->clients[0].refusal, error);
    client->has_given = false;
    return succeed(error);
  });
}

fr_code fr_client_acknowledge(fr_client* client, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  if (!client->has_given) return nothing_given(error);
  return guarded(error, [&] {
    const Outbox& given = client->given;
    const fr_code code = end(client->client.acknowledge(given.next_index), error);
    if (code == FR_OK) client->has_given = false;
    return code;
  });
}

fr_code fr_client_about(const fr_client* client, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (client == nullptr) return closed("client", error);
  return guarded(error, [&] {
    const Client& of = client->client;
    JsonWriter out;
    out.begin_object().member("metric", of.metric()).member("client", to_hex(of.id()));
    out.member("view", of.view()).member("period", of.now()).member("closed", of.closed());
    return give_text(std::move(out.end_object()).take(), json, error);
  });
}

void fr_client_close(fr_client** client) {
  if (client == nullptr) return;
  delete std::exchange(*client, nullptr);
}
