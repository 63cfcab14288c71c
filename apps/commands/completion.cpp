// `futurerand completion SHELL`: what a shell may complete, from the commands themselves.
#include <memory>
#include <string>

#include <fmt/core.h>

#include "apps/commands/commands.hpp"

namespace futurerand::apps {
namespace {

// The commands below one, or its flags.
std::string words_of(const CLI::App& command) {
  std::string words;
  const auto add = [&words](const std::string& word) {
    words += (words.empty() ? "" : " ") + word;
  };
  for (const CLI::App* below : command.get_subcommands({})) {
    if (!below->get_group().empty()) add(below->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) add("--" + name);
  }
  return words;
}

// "PATH) words=... ;;" for every command, the path being the commands typed so far.
std::string cases(const CLI::App& command, const std::string& path) {
  std::string out = fmt::format("    '{}') words='{}' ;;\n", path, words_of(command));
  for (const CLI::App* below : command.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    out += cases(*below, path.empty() ? below->get_name() : path + " " + below->get_name());
  }
  return out;
}

constexpr const char* kBash =
    R"(# bash completion of futurerand; written by `futurerand completion bash`
_futurerand() {{
  local words='' path='' word
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in
      -*) break ;;
      [a-z]*) path="${{path:+$path }}$word" ;;
    esac
  done
  # A word that is no command ends the path: the name of a metric, say.
  while :; do
    case $path in
{cases}    esac
    [[ $words || ! $path ]] && break
    case $path in *' '*) path=${{path% *}} ;; *) path='' ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _futurerand futurerand
)";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

void put_fish(std::string& out, const CLI::App& command, const std::string& condition) {
  for (const CLI::App* below : command.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    out += fmt::format("complete -c futurerand -n '{}' -a {} -d {}\n", condition, below->get_name(),
                       quoted(below->get_description()));
    put_fish(out, *below, "__fish_seen_subcommand_from " + below->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      out += fmt::format("complete -c futurerand -n '{}' -l {}\n", condition, name);
    }
  }
}

}  // namespace

void add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print what lets a shell complete commands");
  command->add_option("shell", *shell, "bash or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "fish"}))
      ->type_name("SHELL");
  command->footer("Example: source <(futurerand completion bash)");
  command->callback([&app, shell] {
    if (*shell == "fish") {
      std::string out =
          "# fish completion of futurerand; written by `futurerand completion fish`\n";
      put_fish(out, app, "__fish_use_subcommand");
      fmt::print("{}", out);
      return;
    }
    fmt::print(fmt::runtime(kBash), fmt::arg("cases", cases(app, "")));
  });
}

}  // namespace futurerand::apps
