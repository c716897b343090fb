// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "grader/base/paths.h"
#include "grader/lab/selection.h"
#include "grader/result/medal.h"

namespace roofline::grader {

/// What a medal opens, in lines to print: the versions of the ladder that reach no more than it, with the
/// best medal an answer to the page's open question, too. Only files that are here: students' copies have
/// them where the instructor exported them (`./lab export --with-ladders`).
std::string opened_by(Medal medal, const Chosen& chosen, const Paths& paths);

}  // namespace roofline::grader
