// `futurerand completion SHELL`: the completion of a shell, made from the commands themselves.
#include <memory>
#include <string>

#include <fmt/core.h>

#include "apps/cli/usage_error.hpp"
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

// In quotes of zsh: what _describe lists is "word:description".
void put_zsh(std::string& out, const std::string& word, const std::string& description) {
  out += " '";
  for (const char c : word + ":" + description) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  out += "'";
}

std::string zsh_cases(const CLI::App& command, const std::string& path) {
  std::string names;
  std::string below_it;
  for (const CLI::App* below : command.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    put_zsh(names, below->get_name(), below->get_description());
    below_it +=
        zsh_cases(*below, path.empty() ? below->get_name() : path + " " + below->get_name());
  }
  std::string flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      put_zsh(flags, "--" + name, option->get_description());
    }
  }
  return fmt::format("      '{}') commands=({} ) flags=({} ) ;;\n", path, names, flags) + below_it;
}

// Both as a file of fpath, which runs as the function, and by `source`.
constexpr const char* kZsh =
    R"(#compdef futurerand
# zsh completion of futurerand; written by `futurerand completion zsh`
_futurerand() {{
  local typed='' word
  local -a commands flags
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case $word in
      -*) break ;;
      [a-z]*) typed="${{typed:+$typed }}$word" ;;
    esac
  done
  # A word that is no command ends the path: the name of a metric, say.
  while :; do
    case $typed in
{cases}    esac
    [[ -n $flags || -z $typed ]] && break
    case $typed in *' '*) typed=${{typed% *}} ;; *) typed='' ;; esac
  done
  if [[ $PREFIX == -* ]]; then
    _describe -o flag flags
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}}
if [[ $funcstack[1] == _futurerand ]]; then
  _futurerand "$@"
else
  compdef _futurerand futurerand
fi
)";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "'";
}

// `typed` holds once the commands down to this one were typed.
void put_fish(std::string& out, const CLI::App& command, const std::string& typed) {
  std::string names;
  for (const CLI::App* below : command.get_subcommands({})) {
    if (!below->get_group().empty()) names += " " + below->get_name();
  }
  const std::string begins = typed.empty() ? "" : typed + "; and ";
  const std::string chosen = "__fish_seen_subcommand_from";
  const std::string here = names.empty() ? typed : begins + "not " + chosen + names;
  for (const CLI::App* below : command.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    out += fmt::format("complete -c futurerand -f -n '{}' -a {} -d {}\n", here, below->get_name(),
                       quoted(below->get_description()));
    put_fish(out, *below, begins + chosen + " " + below->get_name());
  }
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      out += fmt::format("complete -c futurerand -n '{}' -l {} -d {}\n", here, name,
                         quoted(option->get_description()));
    }
  }
}

}  // namespace

void add_completion(CLI::App& app) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
  command->add_option("shell", *shell, "bash, fish or zsh")
      ->required()
      ->check(one_of({"bash", "fish", "zsh"}))
      ->type_name("SHELL");
  command->footer("Example: source <(futurerand completion bash)");
  command->callback([&app, shell] {
    if (*shell == "fish") {
      std::string out =
          "# fish completion of futurerand; written by `futurerand completion fish`\n";
      put_fish(out, app, "");
      fmt::print("{}", out);
      return;
    }
    const bool zsh = *shell == "zsh";
    fmt::print(fmt::runtime(zsh ? kZsh : kBash),
               fmt::arg("cases", zsh ? zsh_cases(app, "") : cases(app, "")));
  });
}

}  // namespace futurerand::apps
