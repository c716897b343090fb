// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/paths.h"

namespace roofline::grader {

/// The verbs of ./lab: their words, for the parser, and what each does.
class VerbWords {
 public:
  using Action = std::function<int(const Paths&)>;

  explicit VerbWords(CLI::App& app) : app_(app) {}

  /// `what` is its line in ./lab --help; `examples` end its own help.
  CLI::App* add(const std::string& name, const std::string& what, const std::string& examples,
                Action action) {
    CLI::App* verb = app_.add_subcommand(name, what);
    verb->group("Verbs");
    verb->footer("Examples:\n" + examples);
    actions_[name] = std::move(action);
    return verb;
  }

  bool knows(const std::string& name) const { return actions_.contains(name); }
  const Action& action(const std::string& name) const { return actions_.at(name); }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, action] : actions_) names.push_back(name);
    return names;
  }

 private:
  CLI::App& app_;
  std::map<std::string, Action> actions_;
};

}  // namespace roofline::grader
