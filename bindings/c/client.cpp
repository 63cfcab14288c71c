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

// The user said no: nothing is observed or sent, except that it leaves.
bool is_off(const fr_client& client) { return client.device->participation == UserDecision::kOff; }

// Tells the client the time, and whether the user has agreed to join more.
void prepare(fr_client& client) {
  believe_now(*client.device, client.client.is_endless());
  client.client.set_joining(client.device->participation == UserDecision::kOn);
}

fr_code observe_one(fr_client* client, Period period, const Value& value, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error, [&] {
    if (is_off(*client)) return succeed(error);
    prepare(*client);
    return end(client->client.observe(period, value), error);
  });
}

}  // namespace

fr_code fr_client_open(fr_device* device, const fr_metric* metric, uint32_t period,
                       fr_client** client, fr_error* error) {
  return fr_client_open_in(device, metric, period, "", client, error);
}

fr_code fr_client_open_in(fr_device* device, const fr_metric* metric, uint32_t period,
                          const char* segment, fr_client** client, fr_error* error) {
  if (const fr_code code = clear_out(client, error)) return code;
  if (device == nullptr) return closed("device", error);
  if (metric == nullptr) return closed("metric", error);
  if (segment == nullptr) return fail(Error{"no segment; expected a text"}, error);
  const std::string stated = segment;
  const std::shared_ptr<OpenDevice> kept = device->open;  // a callback may close `device`
  return in_turn(kept, error, [&] {
    OpenDevice& open = *kept;
    const std::string& name = metric->terms.name;
    // A device that drew another metric of the group has decided, too.
    const bool joined = open.ledger->find(name) != nullptr ||
                        open.ledger->find_series(name) != nullptr ||
                        open.ledger->drew_another(name);
    if (open.participation != UserDecision::kOn && !joined) {
      return fail(Error{"the user has not agreed to take part (participation is '" +
                            std::string(name_of(open.participation)) + "'); expected 'on'",
                        ErrorCode::kNotStarted},
                  error);
    }
    believe_now(open, metric->terms.is_endless());
    Result<RollingClient> opened = RollingClient::open(metric->terms, period, *open.ledger,
                                                       *open.store, *open.entropy, stated);
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
    if (is_off(*client)) return succeed(error);
    prepare(*client);
    return end(client->client.observe(all), error);
  });
}

fr_code fr_client_begin_period(fr_client* client, uint32_t period, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error, [&] {
    believe_now(*client->device, client->client.is_endless());
    return end(client->client.begin_period(period), error);
  });
}

fr_code fr_client_leave(fr_client* client, uint32_t period, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error, [&] {
    believe_now(*client->device, client->client.is_endless());
    return end(client->client.leave(period), error);
  });
}

fr_code fr_client_forget(fr_client* client, uint32_t period, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error, [&] {
    believe_now(*client->device, client->client.is_endless());
    return end(client->client.forget(period), error);
  });
}

fr_code fr_client_lines(fr_client* client, char** lines, fr_error* error) {
  if (const fr_code code = clear_out(lines, error)) return code;
  if (client == nullptr) return closed("client", error);
  return in_turn(client->device, error, [&] {
    for (const Client* part : client->client.parts()) {
      if (is_off(*client) && !part->left()) continue;
      const Outbox due = part->outbox();
      if (due.num_lines() > 0) return give_text(to_lines(due), lines, error);
    }
    return give_text("", lines, error);
  });
}

fr_code fr_client_path(fr_client* client, const char* lines, size_t size, char** path,
                       fr_error* error) {
  if (const fr_code code = clear_out(path, error)) return code;
  if (client == nullptr) return closed("client", error);
  std::string_view given;
  if (!read_text(lines, size, given)) {
    return fail(Error{"no lines; expected those to send"}, error);
  }
  return in_turn(client->device, error, [&] {
    const Result<Client*> part = client->client.part_of(given);
    if (!part) return fail(part.error(), error);
    return give_text(reports_path(**part), path, error);
  });
}

fr_code fr_client_acknowledge(fr_client* client, const char* lines, size_t lines_size,
                              const char* answer, size_t answer_size, fr_error* error) {
  if (client == nullptr) return closed("client", error);
  std::string_view sent;
  if (!read_text(lines, lines_size, sent)) {
    return fail(Error{"no lines; expected those that were sent"}, error);
  }
  return in_turn(client->device, error, [&] {
    const Result<Client*> part = client->client.part_of(sent);
    if (!part) return fail(part.error(), error);
    Client& of = **part;
    Result<Outbox> outbox = of.outbox_of(sent);
    if (!outbox) return fail(outbox.error(), error);
    std::string_view text;
    if (!read_text(answer, answer_size, text)) {
      // What was sent before it left says nothing of its leaving.
      if (of.left() && !outbox->departs()) return succeed(error);
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
    const RollingClient& of = client->client;
    const Client* live = of.live();
    JsonWriter out;
    out.begin_object().member("metric", of.metric()).key("client");
    out.value(live ? std::optional(to_hex(live->id())) : std::nullopt).key("view");
    out.value(live ? std::optional(live->view()) : std::nullopt);
    out.member("value", name_of(of.coding().kind())).member("period", of.now());
    out.member("closed", !of.is_endless() && live != nullptr && live->closed());
    out.member("endless", of.is_endless()).key("season");
    out.value(live && of.is_endless() ? std::optional(live->season()) : std::nullopt);
    out.member("left", live != nullptr && live->left()).member("drawn", of.takes_part());
    if (live != nullptr && !live->segment().empty()) out.member("segment", live->segment());
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
