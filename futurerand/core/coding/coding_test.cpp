#include "futurerand/core/coding/coding.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "futurerand/core/coding/label.hpp"
#include "futurerand/core/coding/public_hash.hpp"
#include "futurerand/core/coding/test/codings.hpp"

namespace futurerand {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> numbered_labels(std::size_t count) {
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(std::to_string(i));
  return labels;
}

std::string refusal(CodingSettings settings) {
  const Result<Coding> coding = Coding::create(std::move(settings));
  return coding ? "" : coding.error().message;
}

TEST(Coding, RefusesSettingsThatMeanNothing) {
  const std::string count = " labels; expected 2 to 65536";
  EXPECT_EQ(refusal(CategoryCoding{{}, {}}), "the category has 0" + count);
  EXPECT_EQ(refusal(CategoryCoding{{"a"}, {}}), "the category has 1" + count);
  EXPECT_EQ(refusal(CategoryCoding{numbered_labels(65'537), {}}), "the category has 65537" + count);
  EXPECT_EQ(refusal(CategoryCoding{numbered_labels(65'536), "other"}),
            "the category has 65537" + count);
  EXPECT_EQ(refusal(CategoryCoding{numbered_labels(65'536), {}}), "");
  EXPECT_EQ(refusal(CategoryCoding{{"a", "b", "a"}, {}}),
            "the label 'a' occurs twice; expected distinct labels");
  EXPECT_EQ(refusal(CategoryCoding{{"a", "b"}, "a"}),
            "the label 'a' occurs twice; expected distinct labels");
  const std::string form = " bytes; expected 1 to 64 bytes of UTF-8 without control characters";
  EXPECT_EQ(refusal(CategoryCoding{{"a", ""}, {}}), "label 2 has 0" + form);
  EXPECT_EQ(refusal(CategoryCoding{{std::string(65, 'x'), "b"}, {}}), "label 1 has 65" + form);
  EXPECT_EQ(refusal(CategoryCoding{{"a", "b"}, "\n"}), "label 3 has 1" + form);
  EXPECT_EQ(refusal(CategoryCoding{{std::string(64, 'x'), "b"}, {}}), "");

  const std::string finite =
      "the range has an end that is not a finite number; expected two finite numbers";
  const std::string empty = "the range is empty; expected a low end below the high end";
  EXPECT_EQ(refusal(NumberCoding{1, kNan, "", 0}), finite);
  EXPECT_EQ(refusal(NumberCoding{-kInfinity, 1, "", 0}), finite);
  EXPECT_EQ(refusal(NumberCoding{1, 1, "", 0}), empty);
  EXPECT_EQ(refusal(DistributionCoding{2, 1, "", 32}), empty);
  EXPECT_EQ(refusal(NumberCoding{-1e308, 1e308, "", 0}),
            "the range is too wide; expected a finite difference of its ends");
  EXPECT_EQ(refusal(NumberCoding{0, 1, std::string(33, 'm'), 0}),
            "the unit has 33 bytes; expected at most 32 bytes of UTF-8 without control characters");
  const std::string band =
      "ignore_moves_below is out of range; expected at least 0 and less than high - low";
  EXPECT_EQ(refusal(NumberCoding{0, 2, "", 2}), band);
  EXPECT_EQ(refusal(NumberCoding{0, 2, "", -0.1}), band);
  EXPECT_EQ(refusal(NumberCoding{0, 2, "", kNan}), band);
  EXPECT_EQ(refusal(NumberCoding{0, 2, "", 1.9}), "");

  for (const std::uint32_t buckets : {0U, 4U, 12U, 33U, 2048U}) {
    EXPECT_EQ(refusal(DistributionCoding{0, 1, "", buckets}),
              "the distribution has " + std::to_string(buckets) +
                  " buckets; expected a power of two from 8 to 1024");
  }
  for (const std::uint32_t buckets : {8U, 32U, 1024U}) {
    EXPECT_EQ(refusal(DistributionCoding{0, 1, "", buckets}), "");
  }
  EXPECT_EQ(refusal(TextCoding{7}), "the text has 7 hash bits; expected 8 to 16");
  EXPECT_EQ(refusal(TextCoding{17}), "the text has 17 hash bits; expected 8 to 16");
}

TEST(Coding, KnowsItsSize) {
  EXPECT_EQ(Coding().kind(), CodingKind::kYesNo);
  EXPECT_EQ(Coding().num_rows(), 1U);
  EXPECT_EQ(Coding().full_scale(), 1U);
  const Coding number = *Coding::create(NumberCoding{0, 1, "", 0});
  EXPECT_EQ(number.num_rows(), 1U);
  EXPECT_EQ(number.full_scale(), 65'536U);
  for (const auto& [labels, bits] : {std::pair{2U, 1U},
                                     {3U, 2U},
                                     {4U, 2U},
                                     {5U, 3U},
                                     {64U, 6U},
                                     {65U, 7U},
                                     {1000U, 10U},
                                     {65'536U, 16U}}) {
    const Coding coding = coding_of_labels(labels);
    EXPECT_EQ(coding.bits(), bits) << labels;
    EXPECT_EQ(coding.num_rows(), (1U << bits) - 1);
    EXPECT_EQ(coding.full_scale(), 1U);
  }
  EXPECT_EQ(Coding::create(DistributionCoding{0, 1, "", 32})->bits(), 5U);
  EXPECT_EQ(Coding::create(TextCoding{})->num_codes(), 65'536U);
  for (const char* name : {"yes_no", "number", "category", "distribution", "text"}) {
    ASSERT_TRUE(coding_named(name));
    EXPECT_EQ(name_of(*coding_named(name)), name);
  }
  EXPECT_FALSE(coding_named("histogram"));
}

TEST(Coding, YesNoHoldsItsValue) {
  EXPECT_EQ(*Coding().held(1, true), 1U);
  EXPECT_EQ(*Coding().held(1, false), 0U);
  EXPECT_EQ(Coding().code(1.0).error().message,
            "the value is not yes or no; this metric takes yes or no");
}

TEST(Coding, ANumberHoldsItsShareOfTheRange) {
  const Coding number = *Coding::create(NumberCoding{-10, 30, "C", 0});
  EXPECT_EQ(*number.held(1, -10.0), 0U);
  EXPECT_EQ(*number.held(1, 30.0), 65'536U);
  EXPECT_EQ(*number.held(1, 10.0), 32'768U);
  EXPECT_EQ(*number.held(1, 0.0), 16'384U);
  EXPECT_EQ(*number.held(1, -11.0), 0U);
  EXPECT_EQ(*number.held(1, 1e300), 65'536U);
  const double step = 40.0 / 65'536;
  EXPECT_EQ(*number.held(1, -10 + 0.49 * step), 0U);
  EXPECT_EQ(*number.held(1, -10 + 0.51 * step), 1U);
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    EXPECT_EQ(number.code(bad).error().message,
              "the value is not a finite number; expected neither NaN nor infinity");
  }
  EXPECT_EQ(number.code(true).error().message,
            "the value is not a number; this metric takes numbers");
  EXPECT_FALSE(number.code("3"));
  // The widest range there is.
  const Coding wide = *Coding::create(NumberCoding{0, std::numeric_limits<double>::max(), "", 0});
  EXPECT_EQ(*wide.code(std::numeric_limits<double>::max()), 65'536U);
}

TEST(Coding, ANumberIgnoresSmallMoves) {
  const Coding number = *Coding::create(NumberCoding{0, 100, "", 5});
  const auto x = [&](double value) { return *number.code(value); };
  EXPECT_EQ(number.moved(x(50), x(54.9)), x(50));
  EXPECT_EQ(number.moved(x(50), x(45.1)), x(50));
  EXPECT_EQ(number.moved(x(50), x(55.1)), x(55.1));
  EXPECT_EQ(number.moved(x(50), x(44.9)), x(44.9));
  const Coding every = *Coding::create(NumberCoding{0, 100, "", 0});
  EXPECT_EQ(every.moved(1, 2), 2U);
  EXPECT_EQ(Coding().moved(0, 1), 1U);
  EXPECT_EQ(Coding().moved(1, 0), 0U);
}

TEST(Coding, ALabelHasItsPlaceInTheList) {
  const Coding coding = *Coding::create(CategoryCoding{{"firefox", "chrome", "safari"}, {}});
  EXPECT_EQ(*coding.code("firefox"), 0U);
  EXPECT_EQ(*coding.code("chrome"), 1U);
  EXPECT_EQ(*coding.code("safari"), 2U);
  const std::string message = coding.code("lynx").error().message;
  EXPECT_EQ(message,
            "the value is none of the metric's 3 labels, and the metric has no label for others");
  EXPECT_FALSE(coding.code(""));
  EXPECT_FALSE(coding.code("Firefox"));
  EXPECT_FALSE(coding.code("zzz"));
  EXPECT_EQ(coding.code(2.0).error().message, "the value is not a text; this metric takes texts");

  const Coding other = *Coding::create(CategoryCoding{{"firefox", "chrome"}, "other"});
  EXPECT_EQ(*other.code("chrome"), 1U);
  EXPECT_EQ(*other.code("lynx"), 2U);
  EXPECT_EQ(*other.code("other"), 2U);
  EXPECT_EQ(other.labels(), (std::vector<std::string>{"firefox", "chrome", "other"}));

  const Coding many = coding_of_labels(65'536);
  for (std::uint32_t v = 0; v < 65'536; v += 97) EXPECT_EQ(*many.code(many.labels()[v]), v);
}

TEST(Coding, ADistributionHasBucketsOfEqualWidth) {
  const DistributionCoding settings{-8, 8, "", 16};
  const Coding coding = *Coding::create(settings);
  for (std::uint32_t bucket = 0; bucket < 16; ++bucket) {
    EXPECT_EQ(*coding.code(-8.0 + bucket), bucket);
    EXPECT_EQ(*coding.code(-8.0 + bucket + 0.999), bucket);
    EXPECT_EQ(bucket_start(settings, bucket), -8.0 + bucket);
  }
  EXPECT_EQ(bucket_start(settings, 16), 8.0);
  EXPECT_EQ(*coding.code(8.0), 15U);
  EXPECT_EQ(*coding.code(-100.0), 0U);
  EXPECT_EQ(*coding.code(100.0), 15U);
  EXPECT_FALSE(coding.code(kNan));
  EXPECT_FALSE(coding.code(kInfinity));
}

TEST(Coding, ATextHasTheTopBitsOfItsHash) {
  const Coding coding = *Coding::create(TextCoding{12});
  const std::uint8_t bytes[] = {'n', 'e', 'w', 's'};
  EXPECT_EQ(*coding.code("news"), public_hash(kTextKey, bytes) >> 52);
  EXPECT_TRUE(coding.code(std::string(64, 'x')));
  EXPECT_FALSE(coding.code(std::string(65, 'x')));
  EXPECT_FALSE(coding.code(""));
  EXPECT_FALSE(coding.code("\xff"));
  EXPECT_FALSE(coding.code(1.0));
}

TEST(Coding, TheStateIsTheParityOfCommonBits) {
  for (CodingRow row = 1; row < 64; ++row) {
    for (std::uint32_t code = 0; code < 64; ++code) {
      std::uint32_t common = 0;
      for (int bit = 0; bit < 6; ++bit) common += (row >> bit & 1) * (code >> bit & 1);
      EXPECT_EQ(Coding::state(row, code), common % 2);
    }
  }
}

TEST(Coding, ComparesBySettings) {
  const Coding a = *Coding::create(CategoryCoding{{"a", "b"}, {}});
  EXPECT_EQ(a, *Coding::create(CategoryCoding{{"a", "b"}, {}}));
  EXPECT_NE(a, *Coding::create(CategoryCoding{{"b", "a"}, {}}));
  EXPECT_NE(a, *Coding::create(CategoryCoding{{"a", "b"}, "c"}));
  EXPECT_NE(a, Coding());
  EXPECT_NE(*Coding::create(NumberCoding{0, 1, "", 0}),
            *Coding::create(NumberCoding{0, 1, "m", 0}));
}

TEST(Label, IsReadableUtf8) {
  for (const char* good : {"", "a b", "Zürich", "日本", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_readable(good)) << good;
  }
  for (const char* bad : {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "a\tb", "\x7f", "\xc2\x85",
                          "\xc3(", "\xe2\x82", "\xf0\x8f\xbf\xbf"}) {
    EXPECT_FALSE(is_readable(bad));
  }
  EXPECT_FALSE(is_readable(std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace futurerand
