// A program calls the C interface in any order, with any allowed arguments. Its store and its
// entropy fail at times. Nothing crashes, every call keeps its contract, and an index has the same
// sign for ever.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings/c/futurerand.h"
#include "futurerand/core/plan/plan.hpp"
#include "futurerand/wire/sign_text.hpp"
#include "futurerand/wire/wire.hpp"

using namespace futurerand;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The bytes of the input as choices; all 0 once they are used up.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint32_t below(std::uint32_t most) { return byte() % most; }
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  std::uint32_t word() {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8U | byte();
    return word;
  }
  // Mostly a period of the metric, at times any.
  std::uint32_t period() { return below(8) == 0 ? word() : below(28); }
  std::string text() {
    std::string text;
    for (std::uint32_t length = below(64); length > 0; --length) text += static_cast<char>(byte());
    return text;
  }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

// The application's side. On failure a record is whole, old or new, as the header promises.
struct Application {
  std::map<std::string, std::vector<std::uint8_t>> records;
  fr_code load_code = FR_OK;
  fr_code save_code = FR_OK;
  bool keeps_what_failed = false;
  fr_code fill_code = FR_OK;
  std::uint64_t counter = 1;

  static fr_code load(void* context, const char* name, const std::uint8_t** bytes,
                      std::size_t* size) {
    auto& self = *static_cast<Application*>(context);
    if (self.load_code != FR_OK) return self.load_code;
    const auto found = self.records.find(name);
    if (found == self.records.end()) return FR_NOT_FOUND;
    *bytes = found->second.data();
    *size = found->second.size();
    return FR_OK;
  }
  static fr_code save(void* context, const char* name, const std::uint8_t* bytes,
                      std::size_t size) {
    auto& self = *static_cast<Application*>(context);
    require(std::strlen(name) >= 1 && std::strlen(name) <= 64);
    if (self.save_code == FR_OK || self.keeps_what_failed) {
      self.records[name].assign(bytes, bytes + size);
    }
    return self.save_code;
  }
  static fr_code names(void* context, void (*each)(void*, const char*), void* list) {
    for (const auto& [name, bytes] : static_cast<Application*>(context)->records) {
      each(list, name.c_str());
    }
    return FR_OK;
  }
  static fr_code fill(void* context, std::uint8_t* bytes, std::size_t size) {
    auto& self = *static_cast<Application*>(context);
    if (self.fill_code != FR_OK) return self.fill_code;
    for (std::size_t i = 0; i < size; ++i) {
      self.counter = self.counter * 6364136223846793005U + 1442695040888963407U;
      bytes[i] = static_cast<std::uint8_t>(self.counter >> 56U);
    }
    return FR_OK;
  }
};

// Signs by client and index, over the whole run.
using Sent = std::map<std::pair<std::string, std::uint32_t>, char>;

void remember(const char* lines, Sent& sent) {
  const std::string text = lines;
  require(text.empty() || text.back() == '\n');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const Result<Line> line = parse_line(std::string_view(text).substr(at, end - at));
    require(static_cast<bool>(line));
    if (const auto* report = std::get_if<Report>(&*line)) {
      std::uint32_t index = report->first_index;
      for (const char sign : to_text(report->signs)) {
        const auto [known, is_new] = sent.insert({{to_hex(report->client), index++}, sign});
        require(is_new || known->second == sign);
      }
    }
    at = end + 1;
  }
}

std::string plan_text(Protocol protocol) {
  return to_json(*make_plan(protocol, 24, 3, *Epsilon::parse("1")));
}

std::string plan_text(const CodingSettings& coding) {
  return to_json(*make_plan(Protocol::kInnovation, 24, 3, *Epsilon::parse("1"), Initial::kUnknown,
                            *Coding::create(coding)));
}

// A result is there if, and only if, the call succeeded; and the error says the same as the code.
void check(fr_code code, const fr_error& error) {
  require(code >= FR_OK && code <= FR_UNTRUSTED && error.code == code);
  require(std::memchr(error.message, 0, sizeof error.message) != nullptr);
  require((code == FR_OK) == (error.message[0] == '\0'));
}

struct Program {
  Application application;
  fr_device* device = nullptr;
  fr_metric* metrics[2] = {nullptr, nullptr};
  fr_client* clients[2] = {nullptr, nullptr};
  Sent sent;
  std::string given = {};    // earlier lines of a client
  std::string request = {};  // an earlier request of both, as JSON

  ~Program() {
    for (fr_client*& client : clients) fr_client_close(&client);
    for (fr_metric*& metric : metrics) fr_metric_close(&metric);
    fr_device_close(&device);
  }

  // For calls with a text as their result.
  template <typename Call>
  void give(Call&& call) {
    fr_error error{};
    char* text = nullptr;
    const fr_code code = call(&text, &error);
    check(code, error);
    require((code == FR_OK) == (text != nullptr));
    fr_free(text);
  }

  void open_device(Choices& choices) {
    static constexpr const char* kCeilings[] = {"16", "1", "0.5", "", "x", "-1", "1e3"};
    const fr_store store{&application, Application::load, Application::save, Application::names};
    const fr_entropy entropy{&application, Application::fill};
    const char* ceiling = kCeilings[choices.below(std::size(kCeilings))];
    fr_device_close(&device);
    fr_error error{};
    const fr_code code = fr_device_open(&store, ceiling, nullptr, &entropy, &device, &error);
    check(code, error);
    require((code == FR_OK) == (device != nullptr));
  }

  void make_metric(Choices& choices) {
    static const std::string kPlans[] = {plan_text(Protocol::kInnovation),
                                         plan_text(Protocol::kHybrid),
                                         plan_text(Protocol::kRepeated),
                                         plan_text(NumberCoding{0, 1, ""}),
                                         plan_text(CategoryCoding{{"a", "b", "c"}, {}}),
                                         plan_text(DistributionCoding{0, 1, ""}),
                                         plan_text(TextCoding{})};
    const std::uint32_t at = choices.below(2);
    std::string plan = kPlans[choices.below(std::size(kPlans))];
    if (choices.below(4) == 1)
      plan[choices.word() % plan.size()] = static_cast<char>(choices.byte());
    fr_metric_close(&metrics[at]);
    fr_error error{};
    const fr_code code = choices.below(8) == 1
                             ? fr_metric_accept(plan.data(), plan.size(), &metrics[at], &error)
                             : fr_metric_create(at == 0 ? "a" : "b", plan.data(), plan.size(),
                                                static_cast<std::int64_t>(choices.below(3)),
                                                choices.below(3), &metrics[at], &error);
    check(code, error);
    require((code == FR_OK) == (metrics[at] != nullptr));
  }

  void call_client(Choices& choices) {
    const std::uint32_t at = choices.below(2);
    fr_client* client = clients[at];
    fr_error error{};
    std::uint32_t period = 0;  // is chosen before the value
    switch (choices.below(14)) {
      case 12:
        return give([&](char** text, fr_error* why) {
          const fr_code code = fr_clients_requests(clients, choices.below(3), text, why);
          if (code == FR_OK && choices.below(2) == 0) request = *text;
          return code;
        });
      case 13: {
        static const std::string kTaken =
            R"({"metrics":[{"metric":"a","status":200,"answer":{"accepted":1,"duplicates":0,)"
            R"("rejected":0,"early":0,"errors":[]}}]})";
        const std::string answer = choices.below(2) == 0 ? choices.text() : kTaken;
        std::string posted = choices.below(3) == 0 ? choices.text() : request;
        if (choices.below(2) == 0) posted = "{\"metric\":\"a\"}\n" + given;
        return give([&](char** text, fr_error* why) {
          return fr_clients_answer(clients, choices.below(3), posted.data(), posted.size(),
                                   answer.data(), answer.size(), text, why);
        });
      }
      case 0:
      case 1:
        period = choices.period();
        check(fr_client_observe(client, period, static_cast<int>(choices.below(4)) - 1, &error),
              error);
        break;
      case 2: {
        std::vector<std::uint32_t> periods(choices.below(6));
        std::vector<std::uint8_t> values(periods.size());
        for (std::uint32_t& each : periods) each = choices.period();
        for (std::uint8_t& value : values) value = static_cast<std::uint8_t>(choices.below(3));
        check(fr_client_observe_all(client, periods.data(), values.data(), periods.size(), &error),
              error);
        break;
      }
      case 8: {
        period = choices.period();
        const double value = std::ldexp(static_cast<int>(choices.byte()) - 64, choices.byte() - 7);
        check(fr_client_observe_number(client, period, value, &error), error);
        break;
      }
      case 9: {
        period = choices.period();
        const std::string text = choices.below(2) == 0 ? "b" : choices.text();
        check(fr_client_observe_text(client, period, text.data(), text.size(), &error), error);
        break;
      }
      case 3:
        check(fr_client_begin_period(client, choices.period(), &error), error);
        break;
      case 10:
        check(fr_client_leave(client, choices.period(), &error), error);
        break;
      case 11:
        check(fr_client_forget(client, choices.period(), &error), error);
        break;
      case 4:
        return give([&](char** text, fr_error* why) {
          const fr_code code = fr_client_lines(client, text, why);
          if (code == FR_OK) remember(*text, sent);
          if (code == FR_OK && choices.below(2) == 0) given = *text;
          return code;
        });
      case 5:
        check(fr_client_acknowledge(client, given.data(), given.size(), nullptr, 0, &error), error);
        break;
      case 6: {
        static const std::string kAnswer =
            R"({"accepted":1,"duplicates":0,"rejected":0,"early":0,"errors":[]})";
        const std::string answer = choices.below(2) == 0 ? choices.text() : kAnswer;
        const std::string lines = choices.below(4) == 0 ? choices.text() : given;
        check(fr_client_acknowledge(client, lines.data(), lines.size(), answer.data(),
                                    answer.size(), &error),
              error);
        break;
      }
      default:
        return give([&](char** text, fr_error* why) { return fr_client_about(client, text, why); });
    }
    if (client == nullptr) require(error.code == FR_INVALID);
  }

  void step(Choices& choices) {
    fr_error error{};
    const std::uint32_t at = choices.below(2);
    switch (choices.below(12)) {
      case 0:
        return open_device(choices);
      case 1:
        return make_metric(choices);
      case 2: {
        fr_client_close(&clients[at]);
        require(clients[at] == nullptr);
        const fr_code code =
            fr_client_open(device, metrics[at], choices.period(), &clients[at], &error);
        check(code, error);
        require((code == FR_OK) == (clients[at] != nullptr));
        return;
      }
      case 3:
        fr_client_close(&clients[at]);
        return require(clients[at] == nullptr);
      case 4:
        fr_device_close(&device);
        return require(device == nullptr);
      case 5:
        return give(
            [&](char** text, fr_error* why) { return fr_device_ledger(device, text, why); });
      case 6:
        return give([&](char** text, fr_error* why) {
          return fr_metric_certificate(metrics[at], text, why);
        });
      case 7:
        application.save_code = choices.below(3) == 0 ? FR_NO_ROOM : FR_OK;
        application.keeps_what_failed = choices.below(2) == 0;
        application.load_code = choices.below(6) == 0 ? FR_UNREACHABLE : FR_OK;
        application.fill_code = choices.below(6) == 0 ? FR_NO_ENTROPY : FR_OK;
        return;
      default:
        return call_client(choices);
    }
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 600) return 0;  // longer programs say no more
  Choices choices(data, size);
  Program program;
  // Most inputs would end at a closed handle otherwise.
  Choices plain(nullptr, 0);
  program.open_device(plain);
  program.make_metric(plain);
  while (!choices.empty()) program.step(choices);
  return 0;
}
