// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/lab/spec.h"

namespace roofline::grader {

/// prediction.toml with `key` answered: a number as it is, a word in quotes. Comments and everything else
/// stay; a key that is not there is added at the end.
std::string with_answer(const std::string& text, const std::string& key, const std::string& answer);

/// Whether `line` can be the answer; else what is wrong with it.
std::string complaint_about(const Prediction& asked, const std::string& line);

/// Asks one after the other and writes each answer at once. `say` prints; `read_line` gives the next line,
/// nothing at its end: then no more is asked. An empty line skips a question. Returns how many were answered.
unsigned ask_predictions(const std::vector<Prediction>& asked, const std::filesystem::path& file,
                         const std::function<void(const std::string&)>& say,
                         const std::function<std::optional<std::string>()>& read_line);

}  // namespace roofline::grader
