#include "futurerand/simulator/device_client.hpp"

#include <array>
#include <memory>

#include "futurerand/core/coding/row.hpp"
#include "futurerand/device/run_device.hpp"
#include "futurerand/simulator/engines/run_rows.hpp"
#include "futurerand/simulator/populations/flips.hpp"

namespace futurerand {
namespace {

// With labels, each change is to the next label; with buckets, to the next bucket.
Values codes_of(const Flips& flips, const Coding& coding) {
  const std::size_t count = coding.kind() == CodingKind::kCategory
                                ? coding.labels().size()
                                : std::size_t{coding.num_codes()};
  Values codes = {{1, 0}};
  for (std::size_t i = 0; i < flips.size(); ++i) {
    if (flips[i] == 1) codes.clear();
    codes.push_back({flips[i], static_cast<std::uint32_t>((i + 1) % count)});
  }
  return codes;
}

Values values_of(const Flips& flips, std::uint32_t full_scale) {
  const std::array<std::uint32_t, 4> numbers = {full_scale, full_scale / 3, 2 * full_scale / 3, 0};
  const bool is_number = full_scale > 1;
  Values values = {{1, 0}};
  for (std::size_t i = 0; i < flips.size(); ++i) {
    if (flips[i] == 1) values.clear();
    const std::uint32_t yes_no = i % 2 == 0 ? 1 : 0;
    values.push_back({flips[i], is_number ? numbers[i % numbers.size()] : yes_no});
  }
  return values;
}

}  // namespace

ClientRun device_client(CertifiedPlan plan) {
  // The plan is shared, because a ClientRun is copied and a device refers to its plan.
  const auto shared = std::make_shared<const CertifiedPlan>(std::move(plan));
  return [shared](const Flips& flips, RandomSource& source, ClientTranscript& transcript) {
    transcript.clear();
    Result<Device> device = Device::join(*shared, 1, source);
    if (!device) return false;
    const Enrolment enrolment = device->enrolment(ClientId{});
    transcript.header = (std::uint64_t{enrolment.view} << 32) | enrolment.index;
    Values values;
    if (const Coding& coding = shared->plan().coding; coding.has_rows()) {
      // The row is public: it follows from the id, and the id is sent. The promise holds for every
      // row, so an audit may choose it. Half of the runs have the row in which every change from
      // one code to the next flips the state: among thousands of rows none occurs often enough to
      // judge.
      constexpr CodingRow kFlipsAtEveryChange = 1;
      std::array<std::uint64_t, 2> bits{};
      if (!source.fill(bits)) return false;
      const CodingRow row = bits[0] >> 63 ? kFlipsAtEveryChange : row_from_bits(coding, bits[1]);
      transcript.header = row;
      states_of(row, codes_of(flips, coding), values);
    } else {
      values = values_of(flips, device->full_scale());
    }
    const Law& law = shared->plan().views[enrolment.view].law;
    const bool silence = may_be_zero(law);
    const auto emit = [&](const SignRun& run) {
      for (std::uint32_t i = 0; i < run.count; ++i) {
        transcript.append((run.minus >> i) & 1U);
        if (silence) transcript.append((run.silent >> i) & 1U);
      }
    };
    return run_device(*device, values, source, emit);
  };
}

}  // namespace futurerand
