// One request for several clients of a device, by the C interface; and records bound to a machine.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "bindings/c/test/handles_under_test.hpp"
#include "futurerand/client/machine_binding.hpp"
#include "futurerand/wire/metric_sections.hpp"

namespace futurerand {
namespace {

using namespace test;

nlohmann::json requests_of(const std::vector<fr_client*>& clients) {
  char* json = nullptr;
  fr_error error;
  EXPECT_EQ(fr_clients_requests(clients.data(), clients.size(), &json, &error), FR_OK)
      << error.message;
  return nlohmann::json::parse(text_of(json));
}

nlohmann::json outcome_of(const std::vector<fr_client*>& clients, const std::string& request,
                          const std::string& answer) {
  char* json = nullptr;
  fr_error error;
  EXPECT_EQ(fr_clients_answer(clients.data(), clients.size(), request.data(), request.size(),
                              answer.data(), answer.size(), &json, &error),
            FR_OK)
      << error.message;
  return nlohmann::json::parse(text_of(json));
}

// One device with two clients.
struct TwoClients : Handles {
  TwoClients() : vector(vector_of("yes_no")) {
    for (std::uint32_t i = 0; i < 100'000; ++i) {
      tape.bytes.push_back(static_cast<std::uint8_t>((i * 2654435761U) >> 13));
    }
    EXPECT_EQ(open(vector, records, tape), FR_OK) << error.message;
    EXPECT_EQ(fr_metric_create("other", vector.plan.data(), vector.plan.size(), vector.start,
                               vector.period_seconds, &other_metric, &error),
              FR_OK);
    EXPECT_EQ(fr_client_open(device, other_metric, vector.joined, &other, &error), FR_OK)
        << error.message;
  }
  ~TwoClients() {
    fr_client_close(&other);
    fr_metric_close(&other_metric);
  }
  std::vector<fr_client*> both() const { return {client, other}; }

  ClientVector vector;
  Records records;
  Tape tape;
  fr_metric* other_metric = nullptr;
  fr_client* other = nullptr;
};

TEST(Requests, OneForAllClientsAndOneAnswer) {
  TwoClients it;
  const nlohmann::json requests = requests_of(it.both());
  ASSERT_EQ(requests.size(), 1U);
  const std::string request = requests[0];
  const auto sections = *split_sections(request);
  ASSERT_EQ(sections.size(), 2U);
  const std::string answer = to_json(
      {{it.vector.metric, 200, accepted(std::string(sections[0].lines))}, {"other", 503, "null"}});
  const nlohmann::json outcome = outcome_of(it.both(), request, answer);
  EXPECT_EQ(outcome["accepted"], 1);
  EXPECT_EQ(outcome["busy"], "{\"metric\":\"other\"}\n" + std::string(sections[1].lines));
  EXPECT_EQ(outcome["why_busy"], "the collector answered 503");
  EXPECT_EQ(outcome["lost"], "");
  EXPECT_TRUE(outcome["failures"].empty());
  EXPECT_EQ(requests_of({it.client}), nlohmann::json::array());
  const std::string refused = to_json({{"other", 200,
                                        R"({"accepted":0,"duplicates":0,"rejected":1,)"
                                        R"("early":0,"errors":[{"line":1,"reason":"closed"}]})"}});
  const nlohmann::json failed = outcome_of(it.both(), requests_of(it.both())[0], refused);
  ASSERT_EQ(failed["failures"].size(), 1U);
  EXPECT_EQ(failed["failures"][0]["metric"], "other");
  EXPECT_EQ(failed["failures"][0]["code"], FR_REFUSED);
}

TEST(Requests, SayWhatIsWrong) {
  TwoClients one, two;
  char* json = nullptr;
  const auto code = [&](const std::vector<fr_client*>& clients) {
    const fr_code given = fr_clients_requests(clients.data(), clients.size(), &json, &one.error);
    fr_free(json);
#ifdef FUTURERAND_TRANSPORT
    size_t sent = 0;
    fr_error error;
    const fr_server nowhere{"http://127.0.0.1:1", nullptr, nullptr, 100, 1};
    EXPECT_EQ(fr_send(&nowhere, clients.data(), clients.size(), &sent, &error), given);
#endif
    return given;
  };
  // A request would show that two devices belong together.
  EXPECT_EQ(code({one.client, two.other}), FR_INVALID);
  EXPECT_NE(std::string(one.error.message).find("two devices"), std::string::npos);
  EXPECT_EQ(code({one.client, one.other, one.client}), FR_INVALID);
  EXPECT_NE(std::string(one.error.message).find("twice"), std::string::npos);
  EXPECT_EQ(code({one.client, nullptr}), FR_INVALID);
  EXPECT_EQ(code({nullptr}), FR_INVALID);
  EXPECT_EQ(code({}), FR_OK);
  EXPECT_EQ(fr_clients_requests(nullptr, 1, &json, &one.error), FR_INVALID);
  fr_client* const client = one.client;
  const std::string request = requests_of({client})[0];
  for (const std::string answer : {"", "{}", "[]", R"({"metrics":[]})"}) {
    EXPECT_EQ(fr_clients_answer(&client, 1, request.data(), request.size(), answer.data(),
                                answer.size(), &json, &one.error),
              FR_UNTRUSTED)
        << answer;
  }
  EXPECT_EQ(fr_clients_answer(&client, 1, "x\n", 2, "{}", 2, &json, &one.error), FR_INVALID);
  EXPECT_EQ(fr_clients_answer(&client, 1, nullptr, 0, "{}", 2, &json, &one.error), FR_INVALID);
  EXPECT_EQ(fr_clients_answer(nullptr, 0, "x\n", 2, "{}", 2, &json, &one.error), FR_INVALID);
  EXPECT_EQ(requests_of({client})[0], request);
}

TEST(Requests, ADeviceThatIsOffSendsOnlyThatItLeaves) {
  TwoClients it;
  ASSERT_EQ(fr_device_set_participation(it.device, "off", &it.error), FR_OK);
  EXPECT_EQ(requests_of(it.both()).size(), 0U);
  ASSERT_EQ(fr_client_leave(it.other, it.vector.joined + 1, &it.error), FR_OK);
  const nlohmann::json requests = requests_of(it.both());
  ASSERT_EQ(requests.size(), 1U);
  const auto sections = *split_sections(requests[0].get_ref<const std::string&>());
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].metric, "other");
  EXPECT_NE(sections[0].lines.find("\"leave\""), sections[0].lines.npos);
}

// Nothing is joined before the user agreed, and the decision is remembered with the records.
TEST(Consent, AnApplicationMayAskFirst) {
  const ClientVector vector = vector_of("yes_no");
  Records records;
  Tape tape;
  for (int run = 0; run < 2; ++run) {
    Handles it;
    const fr_store store = records.store();
    ASSERT_EQ(fr_device_open(&store, "16", nullptr, nullptr, &it.device, &it.error), FR_OK);
    ASSERT_EQ(fr_device_ask_first(it.device, &it.error), FR_OK);
    ASSERT_EQ(
        fr_metric_create("m", vector.plan.data(), vector.plan.size(), 0, 0, &it.metric, &it.error),
        FR_OK);
    char* json = nullptr;
    if (run == 0) {
      EXPECT_EQ(fr_client_open(it.device, it.metric, 1, &it.client, &it.error), FR_NOT_STARTED);
      ASSERT_EQ(fr_device_history(it.device, &json, &it.error), FR_OK);
      const nlohmann::json before = nlohmann::json::parse(text_of(json));
      EXPECT_EQ(before["participation"], "local_only");
      EXPECT_EQ(before["spent"], "0");
      EXPECT_EQ(fr_device_set_participation(it.device, "maybe", &it.error), FR_INVALID);
      ASSERT_EQ(fr_device_set_participation(it.device, "on", &it.error), FR_OK);
    }
    ASSERT_EQ(fr_client_open(it.device, it.metric, 1, &it.client, &it.error), FR_OK)
        << it.error.message;
    ASSERT_EQ(fr_device_history(it.device, &json, &it.error), FR_OK);
    const nlohmann::json history = nlohmann::json::parse(text_of(json));
    EXPECT_EQ(history["participation"], "on");
    EXPECT_EQ(history["metrics"][0]["waiting"].size(), 1U);
    EXPECT_NE(history["meaning"].get<std::string>().find("50% cannot become more than"),
              std::string::npos);
  }
}

TEST(Consent, LeavingAndBeingForgottenAreOneLineForGood) {
  for (const bool forget : {false, true}) {
    TwoClients it;
    const std::uint32_t period = it.vector.joined + 1;
    ASSERT_EQ(forget ? fr_client_forget(it.other, period, &it.error)
                     : fr_client_leave(it.other, period, &it.error),
              FR_OK);
    const nlohmann::json requests = requests_of({it.other});
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_NE(requests[0].get<std::string>().find(forget ? "\"forget\":true" : "\"leave\":"),
              std::string::npos);
    EXPECT_EQ(fr_client_observe(it.other, period + 1, 1, &it.error), FR_REFUSED);
    // It never comes back, and its epsilon stays spent.
    fr_client_close(&it.other);
    ASSERT_EQ(fr_client_open(it.device, it.other_metric, period, &it.other, &it.error), FR_OK);
    EXPECT_EQ(fr_client_observe(it.other, period + 1, 1, &it.error), FR_REFUSED);
    char* json = nullptr;
    ASSERT_EQ(fr_device_history(it.device, &json, &it.error), FR_OK);
    EXPECT_EQ(nlohmann::json::parse(text_of(json))["metrics"][1]["standing"],
              forget ? "forgotten" : "left");
  }
}

TEST(Consent, APinnedPlanIsTheOnlyOne) {
  const ClientVector vector = vector_of("yes_no");
  const std::string document = R"({"name":"m","clock":"manual","start":null,"period_seconds":null,)"
                               R"("current_period":1,"plan":)" +
                               vector.plan + "}";
  const auto accepted_as = [&](const std::string& digest) {
    fr_metric* metric = nullptr;
    fr_error error;
    const fr_code code =
        fr_metric_accept_pinned(document.data(), document.size(), digest.c_str(), &metric, &error);
    EXPECT_EQ(metric != nullptr, code == FR_OK);
    fr_metric_close(&metric);
    return code;
  };
  std::string other = vector.digest;
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_EQ(accepted_as(vector.digest), FR_OK);
  EXPECT_EQ(accepted_as(other), FR_REFUSED);
  EXPECT_EQ(accepted_as(""), FR_REFUSED);
}

// An application's own store: its records are bound when it says so.
TEST(Machine, RecordsOfAnotherMachineDoNothingAnyMore) {
  TwoClients it;
  EXPECT_EQ(fr_device_bind(it.device, nullptr, &it.error), FR_INVALID);
  EXPECT_EQ(fr_device_bind(it.device, "", &it.error), FR_INVALID);
  ASSERT_EQ(fr_device_bind(it.device, "here", &it.error), FR_OK);
  ASSERT_EQ(fr_device_bind(it.device, "here", &it.error), FR_OK);
  char* json = nullptr;
  ASSERT_EQ(fr_device_history(it.device, &json, &it.error), FR_OK);
  EXPECT_EQ(nlohmann::json::parse(text_of(json))["machine"], "bound");
  EXPECT_EQ(fr_device_bind(it.device, "there", &it.error), FR_REFUSED);
  EXPECT_EQ(fr_action_of(it.error.code), FR_GIVE_UP);
  // No call of it, or of its clients, gives anything any more.
  EXPECT_EQ(fr_client_observe(it.client, it.vector.joined, 1, &it.error), FR_REFUSED);
  EXPECT_EQ(fr_client_lines(it.client, &json, &it.error), FR_REFUSED);
  EXPECT_EQ(fr_clients_requests(&it.client, 1, &json, &it.error), FR_REFUSED);
  EXPECT_EQ(fr_device_bind(it.device, "here", &it.error), FR_REFUSED);
  fr_client* more = nullptr;
  EXPECT_EQ(fr_client_open(it.device, it.other_metric, 1, &more, &it.error), FR_REFUSED);
}

TEST(Machine, AFolderOnAnotherMachineIsRefusedForEver) {
  const std::string folder = testing::TempDir() + "machine_" + std::to_string(::getpid());
  const auto opened = [&](const char* machine) {
    fr_device* device = nullptr;
    fr_error error;
    const fr_guards guards{machine, nullptr, 0};
    const fr_code code =
        fr_device_open_guarded(folder.c_str(), &guards, "4", nullptr, nullptr, &device, &error);
    fr_device_close(&device);
    return code;
  };
  EXPECT_EQ(opened("a"), FR_OK);
  EXPECT_EQ(opened("a"), FR_OK);
  EXPECT_EQ(opened(""), FR_OK);  // no check, as the application asks
  std::filesystem::copy(folder, folder + "_copy");
  EXPECT_EQ(opened("b"), FR_REFUSED);
  EXPECT_EQ(opened("a"), FR_REFUSED);
  std::filesystem::remove_all(folder);
  std::filesystem::rename(folder + "_copy", folder);
  EXPECT_EQ(opened("a"), FR_OK);
  std::filesystem::remove_all(folder);
}

// By default it is the system's identity, where there is one.
TEST(Machine, TheDefaultIsTheSystems) {
  const std::string folder = testing::TempDir() + "default_" + std::to_string(::getpid());
  fr_device* device = nullptr;
  fr_error error;
  ASSERT_EQ(fr_device_open_folder(folder.c_str(), "4", nullptr, nullptr, &device, &error), FR_OK)
      << error.message;
  char* json = nullptr;
  ASSERT_EQ(fr_device_history(device, &json, &error), FR_OK);
  const std::string machine = nlohmann::json::parse(text_of(json))["machine"];
  fr_device_close(&device);
  const bool has_identity = !system_machine_identity().empty();
  EXPECT_EQ(machine, has_identity ? "bound" : "unbound");
  const fr_guards other{"another", nullptr, 0};
  EXPECT_EQ(fr_device_open_guarded(folder.c_str(), &other, "4", nullptr, nullptr, &device, &error),
            has_identity ? FR_REFUSED : FR_OK);
  fr_device_close(&device);
  std::filesystem::remove_all(folder);
}

#ifndef _WIN32  // which has no tpm2-tss
TEST(Tpm, ATpmThatIsNotThereIsTheOperators) {
  const std::string folder = testing::TempDir() + "tpm_" + std::to_string(::getpid());
  fr_device* device = nullptr;
  fr_error error;
  const fr_guards guards{"", "device:/dev/no-such-tpm", 0};
  EXPECT_EQ(fr_device_open_guarded(folder.c_str(), &guards, "4", nullptr, nullptr, &device, &error),
            FR_NOT_FOUND)
      << error.message;
  const fr_guards reserved{"", "device:/dev/no-such-tpm", 0x01000000};
  EXPECT_EQ(
      fr_device_open_guarded(folder.c_str(), &reserved, "4", nullptr, nullptr, &device, &error),
      FR_INVALID)
      << error.message;
  std::filesystem::remove_all(folder);
}
#endif

}  // namespace
}  // namespace futurerand
