// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/build/diagnostics.h"
#include "grader/result/result.h"

/// A lab's own words on what goes wrong often: `explanations.toml` in its folder. Every part may be absent.
///
///     [[error]]
///     says = 'identifier "half"'         # part of what the compiler says
///     means = "half is declared in cuda_fp16.h, which edges.h includes."
///     [[fault]]
///     says = "StreamCaptureUnsupported"  # part of the title or the message of a check that fails
///     means = "A stream that is captured runs nothing: nobody can wait for it."
///     [[fault]]
///     says = ["elements of y", "times what they should be"]  # all of these; the first entry that fits holds
///     means = "By what is the sum divided?"
///     [[fault]]
///     says = ["elements of y", "past an aligned address"]
///     means = "What comes before the first whole group of four?"
///     only = true                        # where every case that fails says it, and no other
///     part = "b"                         # where only this part's grades mean it so
///     [prediction]
///     microseconds = "8 bytes an element over 1555 GB/s. Here it took {bandwidth.time}, at
///     {bandwidth.fraction}."
namespace roofline::grader {

struct ErrorMeaning {
  std::string says;
  std::string means;
  std::string part{};               ///< its letter; empty: of every part
  std::vector<std::string> also{};  ///< further words that have to be said
  bool only = false;                ///< each case that fails has to say them
  bool fits(const std::string& said) const;
};

struct Explanations {
  std::vector<ErrorMeaning> errors;                ///< of the compiler
  std::vector<ErrorMeaning> faults;                ///< of cases, structure and speed
  std::map<std::string, std::string> predictions;  ///< by key of prediction.toml
};

/// A file that is absent explains nothing. Throws std::runtime_error with line and reason where it is no TOML
/// or not of this form.
Explanations read_explanations(const std::filesystem::path& file);

/// What a compiler's message means for somebody who writes a kernel: the lab's own entries first, then those
/// that hold everywhere. Empty where there is none.
std::string meaning_of(const std::string& message, const std::vector<ErrorMeaning>& own);

/// Errors of a file that does not compile: "file:line: message", each on a line, at most `most`; beneath it
/// what it means, once each.
std::string explained_errors(const std::vector<Diagnostic>& diagnostics, const std::vector<ErrorMeaning>& own,
                             size_t most);

enum class Sentences { kAll, kOfDevice };  ///< kOfDevice: only those that say what the device did

/// `text` with what the device did in the places `{ID.time}`, `{ID.achieved}`, `{ID.roof}`, `{ID.fraction}`
/// and `{ID.limiter}` of the measurement ID, and what a simulated device counted in `{ID.bytes}` (DRAM),
/// `{ID.flops}` and `{ID.intensity}`. A sentence with a place that cannot be filled is left out.
std::string filled(const std::string& text, const Result& result, Sentences which = Sentences::kAll);

/// Adds to what fails, predictions apart, what its message means in this lab, each meaning once.
void explain_faults(Result& result, const Explanations& explanations);

/// Adds to each prediction that missed why, and to each that was answered what the device did.
void explain_predictions(Result& result, const Explanations& explanations);

}  // namespace roofline::grader
