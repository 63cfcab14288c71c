// `futurerand manual`: the manual pages, made from the commands' own help, so that they cannot
// disagree with it.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/core.h>

#include "apps/cli/text_sink.hpp"
#include "apps/cli/version.hpp"
#include "apps/commands/commands.hpp"

namespace futurerand::apps {
namespace {

std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool first = out.empty() || out.back() == '\n';
    if (first && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string options_of(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    const bool positional = option->get_positional();
    std::string head =
        "\\fB" + roff(positional ? option->get_name(true) : option->get_name(false, true)) + "\\fR";
    if (!option->get_type_name().empty() && option->get_expected_max() > 0) {
      head += " \\fI" + roff(option->get_type_name()) + "\\fR";
    }
    out += ".TP\n" + head + "\n" + roff(option->get_description());
    if (!option->get_default_str().empty()) {
      out += " (default: " + roff(option->get_default_str()) + ")";
    }
    if (option->get_required()) out += " (required)";
    out += "\n";
  }
  return out;
}

// One page; commands of a command are sections of it.
std::string page_of(const CLI::App& command) {
  const std::string name = full_name(command);
  std::string dashed = name;
  for (char& c : dashed) c = c == ' ' ? '-' : c;
  std::string upper = dashed;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const bool nested = !command.get_subcommands({}).empty();
  std::string out =
      fmt::format(".TH {} 1 \"\" \"futurerand {}\" \"User Commands\"\n", roff(upper), kVersion);
  out += ".SH NAME\n" + roff(dashed) + " \\- " + roff(command.get_description()) + "\n";
  out += ".SH SYNOPSIS\n\\fB" + roff(name) + "\\fR" + (nested ? " \\fICOMMAND\\fR" : "") +
         " [\\fIOPTIONS\\fR]\n";
  out += ".SH OPTIONS\n" + options_of(command);
  if (nested) out += ".SH COMMANDS\n";
  for (const CLI::App* below : command.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    if (command.get_parent() == nullptr) {
      out += ".TP\n\\fB" + roff(below->get_name()) + "\\fR\n" + roff(below->get_description()) +
             "; see \\fBfuturerand\\-" + roff(below->get_name()) + "\\fR(1)\n";
    } else {
      out += ".SS \"" + roff(below->get_name()) + "\"\n" + roff(below->get_description()) + "\n" +
             options_of(*below);
    }
  }
  if (!command.get_footer().empty()) {
    out += ".SH EXAMPLES\n" + roff(command.get_footer()) + "\n";
  }
  out += ".SH EXIT STATUS\n0 for success, 1 for a failure, 2 for bad usage or input";
  return out + (name == "futurerand audit" ? ", 3 if nothing is certified.\n" : ".\n");
}

void write_page(const std::string& folder, const std::string& name, const CLI::App& command) {
  TextSink page((std::filesystem::path(folder) / (name + ".1")).string());
  page.write(page_of(command));
  page.commit();
}

}  // namespace

void add_manual(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("manual", "Write the manual pages");
  command->group("");  // for package builds
  command->add_option("--output", *folder, "where to")->required()->type_name("DIR");
  command->callback([&app, folder] {
    std::filesystem::create_directories(*folder);
    write_page(*folder, "futurerand", app);
    for (const CLI::App* below : app.get_subcommands({})) {
      if (!below->get_group().empty())
        write_page(*folder, "futurerand-" + below->get_name(), *below);
    }
  });
}

}  // namespace futurerand::apps
