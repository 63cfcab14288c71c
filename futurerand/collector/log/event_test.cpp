// docs/monitoring.md lists exactly the events in the code, and the code uses each event.
#include "futurerand/collector/log/event.hpp"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace futurerand {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    found.insert((*at)[1].str());
  }
  return found;
}

TEST(Event, MonitoringListsEachWithItsLevel) {
  const std::string text = text_of(fs::path(FUTURERAND_SOURCE_DIR) / "docs" / "monitoring.md");
  std::set<std::string> kinds;
  for (const EventKind& kind : kEventKinds) {
    ASSERT_FALSE(kind.name.empty()) << "an enumerator without a row";
    std::string row("`");
    row.append(kind.name).append("` | ").append(kind.level);
    const bool is_new = kinds.insert(row).second;
    EXPECT_TRUE(is_new) << kind.name;
  }
  EXPECT_EQ(matches(text, std::regex("\\n\\| (`[a-z_]+` \\| (?:info|warning|fatal)) \\|")), kinds);
}

TEST(Event, EachIsSaidSomewhere) {
  const std::regex enumerator("\\bEvent::(k[A-Za-z]+)");
  std::set<std::string> said;
  for (const char* folder : {"futurerand/collector", "apps"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(fs::path(FUTURERAND_SOURCE_DIR) / folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_code = name.ends_with(".cpp") || name.ends_with(".hpp");
      if (!is_code || name.ends_with("_test.cpp") || name == "event.hpp") continue;
      said.merge(matches(text_of(entry.path()), enumerator));
    }
  }
  const std::string header =
      text_of(fs::path(FUTURERAND_SOURCE_DIR) / "futurerand/collector/log/event.hpp");
  const std::size_t begin = header.find("enum class Event");
  const std::string list = header.substr(begin, header.find("kCount", begin) - begin);
  EXPECT_EQ(said, matches(list, std::regex("\\n  (k[A-Za-z]+),")));
}

}  // namespace
}  // namespace futurerand
