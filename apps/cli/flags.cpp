#include "apps/cli/flags.hpp"

#include <map>

#include "apps/cli/failure.hpp"
#include "apps/cli/read_values.hpp"
#include "apps/cli/usage_error.hpp"

namespace futurerand::apps {
namespace {

std::string default_text(const Option& option) {
  const nlohmann::json value = option.get();
  if (value.is_null()) return "";
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void set(const Option& option, const std::string& text) {
  if (const Status done = option.set(text); !done) {
    throw CLI::ValidationError(option.flag(), done.error().message);
  }
}

}  // namespace

std::string join(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void add_format(CLI::App& command, Format& format, bool with_csv) {
  std::map<std::string, Format> names = {{"text", Format::kText}, {"json", Format::kJson}};
  if (with_csv) names["csv"] = Format::kCsv;
  command
      .add_option_function<std::string>(
          "--format", [&format, names](const std::string& name) { format = names.at(name); },
          with_csv ? "text for people, json and csv for programs"
                   : "text for people, json for programs")
      ->check(with_csv ? one_of({"text", "json", "csv"}) : one_of({"text", "json"}))
      ->type_name(with_csv ? "text|json|csv" : "text|json")
      ->default_str("text");
}

void add_flags(CLI::App& command, const Options& options) {
  for (const Option& option : options) {
    if (option.kind == Option::Kind::kFlag) {
      command.add_flag_callback(
          option.flag(), [option] { set(option, "true"); }, option.help);
      continue;
    }
    CLI::Option* added = command.add_option_function<std::string>(
        option.flag(), [option](const std::string& text) { set(option, text); }, option.help);
    added->type_name(option.symbol)->default_str(default_text(option));
    if (option.constant) added->group("Constants of rivals");
  }
}

void SimulationFlags::add_values(CLI::App& command) {
  command
      .add_option("--values", values,
                  "CSV file of users, with the header user,period,value; drawn with replacement if "
                  "--users is larger")
      ->excludes(command.get_option("--population"))
      ->type_name("FILE");
}

SimulationQuestion SimulationFlags::question() const {
  SimulationQuestion question = asked;
  if (!values.empty()) {
    question.panel = read_values(values, asked.simulated_periods(), or_bad_input(asked.coding()));
    question.panel_name = values;
  }
  return question;
}

}  // namespace futurerand::apps
