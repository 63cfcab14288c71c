#include "futurerand/documents/csv_writer.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

TEST(CsvWriter, WritesCells) {
  CsvWriter csv("a,b,c,d");
  csv.cell(1).cell(2.5).cell("x").cell(true).end_row();
  csv.cell(-1).cell(std::nan("")).cell(std::optional<double>()).cell(1e300).end_row();
  EXPECT_EQ(std::move(csv).take(), "a,b,c,d\n1,2.5,x,true\n-1,,,1e+300\n");
}

TEST(CsvWriter, QuotesWhatWouldEndACell) {
  CsvWriter csv("a,b");
  csv.cell("x,y").cell(std::string("say \"z\"\n")).end_row();
  EXPECT_EQ(std::move(csv).take(), "a,b\n\"x,y\",\"say \"\"z\"\"\n\"\n");
}

}  // namespace
}  // namespace futurerand
