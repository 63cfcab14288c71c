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

fr_code observe_one(fr_client* client, Period period, const Value& value, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error,
                 [&] { return end(client->client.observe(period, value), error); });
}

}  // namespace

fr_code fr_client_open(fr_device* device, const fr_metric* metric, uint32_t period,
                       fr_client** client, fr_error* error) {
  if (const fr_code code = clear_out(client, error)) return code;
  if (device == nullptr) return closed("device", error);
  if (metric == nullptr) return closed("metric", error);
  const std::shared_ptr<OpenDevice> kept = device->open;  // a callback may close `device`
  return in_turn(kept, error, [&] {
    OpenDevice& open = *kept;
    Result<Client> opened =
        Client::open(metric->terms, period, *open.ledger, *open.store, *open.entropy);
    if (!opened) return fail(opened.error(), error);
    *client = new fr_client{kept, *std::move(opened)};
    return succeed(error);
  });
}

fr_code fr_client_observe(fr_client* client, uint32_t period, int value, fr_error* error) {
  if (value != 0 && value != 1) {
    // The message does not say what it was: whatever it is, it comes from the value.
    return fail(Error{"the value is neither 0 nor 1; expected one of them"}, error);
  }
  return observe_one(client, period, value == 1, error);
}

fr_code fr_client_observe_number(fr_client* client, uint32_t period, double value,
                                 fr_error* error) {
  return observe_one(client, period, value, error);
}

fr_code fr_client_observe_text(fr_client* client, uint32_t period, const char* text, size_t size,
                               fr_error* error) {
  std::string_view value;
  if (!read_text(text, size, value)) return fail(Error{"no text; expected one"}, error);
  return observe_one(client, period, value, error);
}

fr_code fr_client_observe_all(fr_client* client, const uint32_t* periods, const uint8_t* values,
                              size_t count, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  if (count > 0 && (periods == nullptr || values == nullptr)) {
    return fail(Error{"no periods or no values; expected both"}, error);
  }
  return in_turn(client->device, error, [&] {
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
  return in_turn(client->device, error, [&] {
    client->client.begin_period(period);
    return succeed(error);
  });
}

fr_code fr_client_lines(fr_client* client, char** lines, fr_error* error) {
  if (const fr_code code = clear_out(lines, error)) return code;
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error,
                 [&] { return give_text(to_lines(client->client.outbox()), lines, error); });
}

fr_code fr_client_acknowledge(fr_client* client, const char* lines, size_t lines_size,
                              const char* answer, size_t answer_size, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  std::string_view sent;
  if (!read_text(lines, lines_size, sent)) {
    return fail(Error{"no lines; expected those that were sent"}, error);
  }
  return in_turn(client->device, error, [&] {
    Client& of = client->client;
    Result<Outbox> outbox = of.outbox_of(sent);
    if (!outbox) return fail(outbox.error(), error);
    std::string_view text;
    if (!read_text(answer, answer_size, text)) {
      return end(of.acknowledge(outbox->next_index), error);
    }
    const Result<ReportAnswer> parsed = parse_report_answer(text);
    if (!parsed) return fail(parsed.error(), error);
    Client* const clients[] = {&of};
    const Result<SentBatch> known = acknowledge(clients, {*std::move(outbox)}, *parsed);
    if (!known) return fail(known.error(), error);
    if (known->clients[0].refusal) return fail(*known->clients[0].refusal, error);
    return succeed(error);
  });
}

fr_code fr_client_about(const fr_client* client, char** json, fr_error* error) {
  if (const fr_code code = clear_out(json, error)) return code;
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error, [&] {
    const Client& of = client->client;
    JsonWriter out;
    out.begin_object().member("metric", of.metric()).member("client", to_hex(of.id()));
    out.member("view", of.view()).member("value", name_of(of.coding().kind()));
    out.member("period", of.now()).member("closed", of.closed());
    return give_text(std::move(out.end_object()).take(), json, error);
  });
}

void fr_client_close(fr_client** client) {
  if (client == nullptr || *client == nullptr) return;
  fr_client* const gone = std::exchange(*client, nullptr);
  const std::shared_ptr<OpenDevice> device = gone->device;
  const bool running = device->running.exchange(true);
  device->closed.push_back(gone);
  if (!running) end_turn(*device);
}
