#include "futurerand/wire/annotation.hpp"

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(Annotation, OneADateByPeriod) {
  std::vector<Annotation> all;
  for (const Annotation& one :
       {Annotation{9, "2026-11-12", "second"}, Annotation{2, "2026-11-01", "first"},
        Annotation{9, "2026-11-10", "before"}, Annotation{9, "2026-11-12", "written anew"}}) {
    all = *annotate(all, one);
  }
  const std::vector<Annotation> expected = {
      {2, "2026-11-01", "first"}, {9, "2026-11-10", "before"}, {9, "2026-11-12", "written anew"}};
  EXPECT_EQ(all, expected);
  all = *annotate(all, {9, "2026-11-10", ""});
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(*annotate(all, {5, "2026-11-05", ""}), all);  // there was none
}

TEST(Annotation, AreBounded) {
  std::vector<Annotation> all;
  for (Period t = 1; t <= kMaxAnnotations; ++t) all = *annotate(all, {t, "", "a note"});
  EXPECT_FALSE(annotate(all, {1000, "", "one more"}));
  EXPECT_TRUE(annotate(all, {7, "", "another text"}));
  EXPECT_TRUE(check_annotation_text(std::string(kMaxAnnotationBytes, 'x')));
  EXPECT_FALSE(check_annotation_text(std::string(kMaxAnnotationBytes + 1, 'x')));
  for (const char* text : {"two\nlines", "a\ttab", "\x7f"}) {
    EXPECT_FALSE(check_annotation_text(text)) << text;
  }
}

TEST(Annotation, AreStoredAsLines) {
  const std::vector<Annotation> all = {{1, "", "Größer"}, {20, "2026-11-12 14:00", "a, \"b\""}};
  EXPECT_EQ(annotations_from_lines(to_lines(all)), all);
  EXPECT_TRUE(annotations_from_lines("").empty());
}

}  // namespace
}  // namespace futurerand
