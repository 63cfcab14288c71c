#include "futurerand/documents/prometheus_writer.hpp"

#include <array>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(PrometheusWriter, WritesFiguresWithTheirSamples) {
  PrometheusWriter out;
  out.counter("a_total", "All of them.", 7);
  out.begin("b", PrometheusWriter::Kind::kGauge, "Some.");
  out.sample(1, {{"metric", "x"}, {"outcome", "a\"b\\c\nd"}}).sample(2, {{"metric", "y"}});
  out.begin("c_seconds", PrometheusWriter::Kind::kGauge, "A time.").seconds(12'034);
  EXPECT_EQ(std::move(out).take(),
            "# HELP a_total All of them.\n# TYPE a_total counter\na_total 7\n"
            "# HELP b Some.\n# TYPE b gauge\n"
            "b{metric=\"x\",outcome=\"a\\\"b\\\\c\\nd\"} 1\nb{metric=\"y\"} 2\n"
            "# HELP c_seconds A time.\n# TYPE c_seconds gauge\nc_seconds 12.034\n");
}

TEST(PrometheusWriter, CountsOfAHistogramAddUp) {
  PrometheusWriter out;
  const std::array<std::uint32_t, 2> bounds = {1, 250};
  const std::array<std::uint64_t, 3> counts = {4, 0, 2};
  out.histogram("h_seconds", "Times.", bounds, counts, 5100);
  EXPECT_EQ(std::move(out).take(),
            "# HELP h_seconds Times.\n# TYPE h_seconds histogram\n"
            "h_seconds_bucket{le=\"0.001\"} 4\nh_seconds_bucket{le=\"0.250\"} 4\n"
            "h_seconds_bucket{le=\"+Inf\"} 6\nh_seconds_sum 5.100\nh_seconds_count 6\n");
}

}  // namespace
}  // namespace futurerand
