#include "apps/report/comparison_manifest.hpp"

#include <fmt/core.h>

#include "apps/cli/failure.hpp"
#include "apps/cli/input_file.hpp"
#include "apps/cli/version.hpp"
#include "futurerand/study/option_table.hpp"

namespace futurerand::apps {
namespace {

nlohmann::ordered_json arguments_of(const Comparison& comparison,
                                    const std::vector<std::string>& protocols,
                                    const std::vector<std::uint64_t>& seeds) {
  SimulationQuestion question = comparison.question;
  question.users = comparison.num_users;
  nlohmann::ordered_json arguments = {{"protocols", protocols}};
  SimulationQuestion usual;
  const Options asked = compare_options(question), defaults = compare_options(usual);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Option& option = asked[i];
    if (!option.constant) {
      arguments[option.name] = option.get();
    } else if (option.get() != defaults[i].get()) {
      arguments["constants"][option.name] = option.get();
    }
  }
  if (!seeds.empty()) arguments["seed"] = seeds;
  // Python takes the values of a file as an array; the path shows their place.
  if (!question.panel_name.empty()) {
    arguments.erase("population");
    arguments["values"] = question.panel_name;
  }
  return arguments;
}

std::string text_of(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The results as a manifest keeps them, without the times.
nlohmann::json without_times(nlohmann::json results) {
  for (nlohmann::json& result : results) result.erase("seconds");
  return results;
}

}  // namespace

std::string comparison_manifest(
    const std::vector<std::pair<std::string, const Comparison*>>& groups,
    const std::vector<std::string>& protocols, const std::vector<std::uint64_t>& seeds,
    const nlohmann::ordered_json& document) {
  nlohmann::ordered_json manifest = {{"futurerand", kVersion}};
  for (const auto& [name, comparison] : groups) {
    nlohmann::ordered_json arguments = arguments_of(*comparison, protocols, seeds);
    if (name.empty()) {
      manifest["compare"] = std::move(arguments);
    } else {
      manifest["groups"][name] = {{"compare", std::move(arguments)}};
    }
  }
  manifest["document"] = document;
  return manifest.dump(2) + "\n";
}

ComparisonManifest::ComparisonManifest(const std::string& path) : path_(path) {
  const auto manifest = nlohmann::ordered_json::parse(read_file(path), nullptr, false);
  try {
    version_ = manifest.at("futurerand").get<std::string>();
    results_ = without_times(manifest.at("document").at("results"));
    if (manifest.contains("groups")) {
      for (const auto& [name, group] : manifest.at("groups").items()) {
        groups_.push_back(read_group(name, group.at("compare")));
      }
    } else {
      groups_.push_back(read_group("", manifest.at("compare")));
    }
  } catch (const nlohmann::json::exception&) {
    throw bad_input(path + ": no manifest; expected a file of compare --manifest");
  }
  if (groups_.empty()) throw bad_input(path + ": no groups; expected at least one");
  if (seeds_.empty() && !question_.seed) {
    throw bad_input(path + ": no seed, so every run differs; expected a manifest with a seed");
  }
}

ComparisonManifest::Group ComparisonManifest::read_group(const std::string& name,
                                                         const nlohmann::ordered_json& arguments) {
  protocols_ = arguments.at("protocols").get<std::vector<std::string>>();
  if (!arguments.contains("values") && !arguments.contains("population")) {
    throw bad_input(path_ + ": its users were an array in Python; expected a population or a file");
  }
  Group group{name, arguments.value("values", std::string()), {}};
  const Options options = compare_options(question_);
  const auto set = [&](const std::string& option, const nlohmann::ordered_json& value) {
    if (value.is_null()) return;
    const Status done = set_option(options, option, text_of(value));
    if (!done) throw bad_input(path_ + ": " + done.error().message);
  };
  for (const auto& [option, value] : arguments.items()) {
    // Results are the same for any number of threads.
    if (option == "protocols" || option == "values" || option == "threads") continue;
    if (option == "seed" && value.is_array()) {
      seeds_ = value.get<std::vector<std::uint64_t>>();
    } else if (option == "constants") {
      for (const auto& [constant, setting] : value.items()) set(constant, setting);
    } else {
      set(option, value);
    }
  }
  group.users = question_.users;
  question_.users.reset();
  return group;
}

void ComparisonManifest::check_results(const nlohmann::ordered_json& document) const {
  // Both have been text, so numbers are alike.
  const nlohmann::json results = nlohmann::json::parse(document["results"].dump());
  if (without_times(results) == results_) return;
  throw failed(fmt::format(
      "{}: these results differ from those of the manifest; it was written by futurerand {}, and "
      "this is {}",
      path_, version_, kVersion));
}

}  // namespace futurerand::apps
