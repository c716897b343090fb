// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/completion.h"

#include <algorithm>

#include "grader/base/words.h"

namespace roofline::grader {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string options_of(const CompletionVerb& verb) {
  std::vector<std::string> names;
  for (const CompletionOption& option : verb.options) names.push_back(option.name);
  return joined(names);
}

/// Every option that takes a value other than a device: files are offered.
std::string options_with_files(const CompletionWords& words) {
  std::vector<std::string> names;
  for (const CompletionVerb& verb : words.verbs)
    for (const CompletionOption& option : verb.options)
      if (option.takes_value && option.name != "--device" &&
          std::find(names.begin(), names.end(), option.name) == names.end())
        names.push_back(option.name);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " | ") + name;
  return text;
}

std::string words_of(const CompletionVerb& verb, const CompletionWords& words) {
  return verb.labs ? joined(words.labs) : joined(verb.words);
}

std::string bash_completion(const CompletionWords& words) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const CompletionVerb& verb : words.verbs) {
    verbs.push_back(verb.name);
    cases += "    " + verb.name + ") options='" + options_of(verb) + "' words='" + words_of(verb, words) +
             "' ;;\n";
  }
  verbs.emplace_back("--help");
  return R"(# Completion of ./lab for bash. Use it with:  source <(./lab completion bash)
# bash takes the colon of sim:h200 for the end of a word, so the words are taken from the line itself.
_lab_offer() {
  COMPREPLY=($(compgen -W "$1" -- "$word"))
  if [[ $word == *:* ]]; then COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}"); fi
}
_lab() {
  local line=${COMP_LINE:0:COMP_POINT} options='' words='' word
  local -a typed
  read -ra typed <<<"$line"
  [[ $line == *[[:space:]] ]] && typed+=('')
  word=${typed[-1]}
  COMPREPLY=()
  if ((${#typed[@]} <= 2)); then _lab_offer ')" +
         joined(verbs) + R"('; return; fi
  case ${typed[-2]} in
    --device) _lab_offer ')" +
         joined(words.devices) + R"('; return ;;
    )" + options_with_files(words) +
         R"() COMPREPLY=($(compgen -f -- "$word")); return ;;
  esac
  case ${typed[1]} in
)" + cases +
         R"(  esac
  if [[ $word == -* ]]; then
    _lab_offer "$options"
  elif [[ -n $words ]]; then
    _lab_offer "$words"
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _lab lab
)";
}

std::string zsh_completion(const CompletionWords& words) {
  std::string verbs, cases;
  for (const CompletionVerb& verb : words.verbs) {
    verbs += "    " + shell_quoted(verb.name + ":" + verb.what) + "\n";
    cases += "    " + verb.name + ") options=(" + options_of(verb) + ") values=(" + words_of(verb, words) +
             ") ;;\n";
  }
  return R"(#compdef lab
# Completion of ./lab for zsh. Use it with:  source <(./lab completion zsh)
_lab() {
  local -a verbs options values
  verbs=(
)" + verbs +
         R"(  )
  if ((CURRENT == 2)); then _describe verb verbs; return; fi
  case $words[CURRENT-1] in
    --device) compadd -- )" +
         joined(words.devices) + R"(; return ;;
    )" + options_with_files(words) +
         R"() _files; return ;;
  esac
  case $words[2] in
)" + cases +
         R"(  esac
  if [[ $PREFIX == -* ]]; then
    compadd -- $options
  elif (($#values)); then
    compadd -- $values
  else
    _files
  fi
}
compdef _lab lab
)";
}

}  // namespace

const std::vector<CompletionShell>& completion_shells() {
  static const std::vector<CompletionShell> kShells = {
      {"bash", "in ~/.bashrc, with the path to ./lab", bash_completion},
      {"zsh", "in ~/.zshrc, after compinit", zsh_completion}};
  return kShells;
}

}  // namespace roofline::grader
