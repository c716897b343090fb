// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

#include "grader/text/terminal.h"
#include "simulator/program/thread_record.h"

/// `lab run --explain BLOCK,THREAD`: one thread's path through a kernel.
namespace roofline::grader {

/// Reads "0,5" (counted in x, then y, then z order) or "(0,0,0),(5,0,0)" (x, y, z; y and z may be left out).
/// Throws UsageError.
sim::ThreadRequest parse_thread(const std::string& text);

/// The path as text: source line, instruction, values, addresses. Iterations of a loop are folded, and at
/// most `limit` instructions are shown.
std::string explanation(const sim::ThreadRecord& record, const Terminal& terminal, std::size_t limit);

}  // namespace roofline::grader
