// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/explanations.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "grader/base/file.h"
#include "grader/base/toml.h"
#include "grader/base/units.h"
#include "grader/text/svg.h"

namespace roofline::grader {
namespace {

/// The usual ones of every lab. The first that is found holds: the special before the general.
const std::vector<ErrorMeaning> kEverywhere = {
    {"expected a \";\"", "the statement before this place has no semicolon"},
    {"expected a \"}\"", "a block that was opened further up is not closed"},
    {"expected a \")\"", "a parenthesis that was opened before this place is not closed"},
    {"from a __global__ function", "a kernel can call only functions marked __device__ (or constexpr)"},
    {"from a __device__ function", "device code can call only functions marked __device__ (or constexpr)"},
    {"__global__ function must have a void return type",
     "a kernel returns nothing: it writes to memory that it is given"},
    {"a __global__ function call must be configured",
     "a kernel is launched with <<<blocks, threads, shared bytes, stream>>>"},
    {"identifier \"threadIdx\" is undefined",
     "threadIdx exists in kernels only, not in the function that launches them"},
    {"identifier \"blockIdx\" is undefined",
     "blockIdx exists in kernels only, not in the function that launches them"},
    {"identifier \"half\" is undefined", "half is declared in cuda_fp16.h"},
    {"identifier \"__half\" is undefined", "__half is declared in cuda_fp16.h"},
    {"identifier \"half2\" is undefined", "half2 is declared in cuda_fp16.h"},
    {"expression must be a modifiable lvalue", "what is const, as an input is, cannot be written"},
    {"argument of type \"cudaStream_t\"",
     "the stream stands where a number of bytes belongs: in a launch it is the fourth, <<<blocks, threads, "
     "0, "
     "stream>>>, in most calls the last",
     {},
     {"parameter of type \"size_t\""}},
    {"incompatible with parameter of type",
     "the types of an argument and of its parameter differ: look for a const, a pointer, the order"},
    {"cannot be used to initialize an entity of type \"float *\"",
     "a pointer to const stays a pointer to const: write const float*"},
    {"too few arguments in function call",
     "the function has more parameters than it was given arguments; a kernel's stand in (...), not in "
     "<<<...>>>"},
    {"too many arguments in function call", "the function has fewer parameters than it was given arguments"},
    {"more than one instance of overloaded function",
     "the call fits several functions: make the arguments' types those of one of them"},
    {"cannot open source file", "only the lab's own headers, common/ and CUDA's and C++'s can be included"},
    {"No such file or directory", "only the lab's own headers, common/ and CUDA's and C++'s can be included"},
    {"uses too much shared data",
     "__shared__ arrays of a block may take 48 KiB together; more has to be asked for as dynamic shared "
     "memory"},
    {"must be initialized by constant",
     "a __constant__, or an array's size, has to be known when compiling: constexpr"},
    {"expression must have a constant value",
     "an array's size or a template argument has to be known when compiling: constexpr"},
    {"is undefined",
     "nothing of this name is declared before this place: a typo, or a header that is missing"},
    {"has already been declared in the current scope",
     "the name is taken in this block: another one, or no type in front of it to use the first"},
};

std::optional<std::string> value_of(const Measurement& m, std::string_view what) {
  if (!(m.fraction > 0)) return std::nullopt;
  if (what == "time") return compact(m.time.median_us, 4) + " us";
  if (what == "achieved") return compact(m.achieved, 4) + " " + m.roof.unit;
  if (what == "roof") return compact(m.roof.value, 4) + " " + m.roof.unit;
  if (what == "fraction") return compact(100 * m.fraction, 3) + " % of the roof";
  if (what == "limiter" && !m.limiter.empty()) return m.limiter;
  return std::nullopt;
}

/// "210 MB": what a simulated device counted.
std::optional<std::string> counted(const RooflinePoint& point, std::string_view what) {
  if (what == "bytes") return compact(point.dram_bytes / 1e6, 4) + " MB";
  if (what == "flops") return compact(point.flops / 1e6, 4) + " MFLOP";
  if (what == "intensity" && point.dram_bytes > 0)
    return compact(point.flops / point.dram_bytes, 3) + " FLOP/B";
  return std::nullopt;
}

std::optional<std::string> place(std::string_view name, const Result& result) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  for (const Measurement& m : result.measurements)
    if (m.id == name.substr(0, dot))
      if (const auto value = value_of(m, name.substr(dot + 1))) return value;
  for (const RooflinePoint& point : result.profile.points)
    if (point.id == name.substr(0, dot)) return counted(point, name.substr(dot + 1));
  return std::nullopt;
}

/// One sentence with its places filled; nothing where one cannot be.
std::optional<std::string> filled_sentence(std::string_view sentence, const Result& result) {
  std::string out;
  while (!sentence.empty()) {
    const size_t open = sentence.find('{'), close = sentence.find('}', open);
    if (close == std::string_view::npos) return out + std::string(sentence);
    const auto value = place(sentence.substr(open + 1, close - open - 1), result);
    if (!value) return std::nullopt;
    out += std::string(sentence.substr(0, open)) + *value;
    sentence.remove_prefix(close + 1);
  }
  return out;
}

/// A string, or a list of them; nothing where it is anything else.
std::vector<std::string> words_of(const toml::node_view<const toml::node>& node) {
  if (const auto one = node.value<std::string>()) return {*one};
  std::vector<std::string> words;
  if (const toml::array* list = node.as_array())
    for (const toml::node& each : *list) words.push_back(each.value_or(std::string()));
  return words;
}

}  // namespace

Explanations read_explanations(const std::filesystem::path& file) {
  Explanations all;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return all;
  const auto fail = [&](const std::string& why) { throw std::runtime_error(file.string() + ": " + why); };
  toml::table table;
  try {
    table = toml::parse(read_file(file));
  } catch (const toml::parse_error& error) {
    fail("line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
  }
  for (const auto& [key, node] : table)
    if (key.str() != "error" && key.str() != "fault" && key.str() != "prediction")
      fail("there is no \"" + std::string(key.str()) + "\"");
  const auto read_meanings = [&](const char* name, std::vector<ErrorMeaning>& list) {
    const toml::array* entries = table[name].as_array();
    if (entries == nullptr) return;
    for (const toml::node& node : *entries) {
      const toml::table* one = node.as_table();
      std::vector<std::string> says = one ? words_of((*one)["says"]) : std::vector<std::string>();
      const auto means = one ? (*one)["means"].value<std::string>() : std::nullopt;
      if (says.empty() || std::ranges::count(says, std::string()) != 0 || !means)
        fail("an [[" + std::string(name) +
             "]] has two strings, says and means; says may be a list of strings");
      list.push_back({says[0],
                      *means,
                      (*one)["part"].value_or(std::string()),
                      {says.begin() + 1, says.end()},
                      (*one)["only"].value_or(false)});
    }
  };
  read_meanings("error", all.errors);
  read_meanings("fault", all.faults);
  if (const toml::table* predictions = table["prediction"].as_table())
    for (const auto& [key, node] : *predictions) {
      const auto text = node.value<std::string>();
      if (!text) fail("the explanation of " + std::string(key.str()) + " is not a string");
      all.predictions[std::string(key.str())] = *text;
    }
  return all;
}

bool ErrorMeaning::fits(const std::string& said) const {
  const auto is_in = [&](const std::string& words) { return said.find(words) != std::string::npos; };
  return is_in(says) && std::ranges::all_of(also, is_in);
}

std::string meaning_of(const std::string& message, const std::vector<ErrorMeaning>& own) {
  for (const auto* list : {&own, &kEverywhere})
    for (const ErrorMeaning& entry : *list)
      if (entry.fits(message)) return entry.means;
  return {};
}

std::string explained_errors(const std::vector<Diagnostic>& diagnostics, const std::vector<ErrorMeaning>& own,
                             size_t most) {
  std::string text;
  std::vector<std::string> told;
  size_t errors = 0;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!diagnostic.error || ++errors > most) continue;
    text += "\n" + diagnostic.text();
    const std::string meaning = meaning_of(diagnostic.message, own);
    if (meaning.empty() || std::find(told.begin(), told.end(), meaning) != told.end()) continue;
    told.push_back(meaning);
    text += "\n  that is: " + meaning;
  }
  if (errors > most) text += "\nand " + std::to_string(errors - most) + " more errors";
  return text;
}

std::string filled(const std::string& text, const Result& result, Sentences which) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find(". ", begin);
    end = end == std::string::npos ? text.size() : end + 2;
    const std::string_view sentence = std::string_view(text).substr(begin, end - begin);
    const bool wanted = which == Sentences::kAll || sentence.find('{') != std::string_view::npos;
    if (const auto full = filled_sentence(sentence, result); full && wanted) out += *full;
    begin = end;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

namespace {

/// Predictions and the build have explanations of their own.
bool is_fault(const Check& check) {
  return check.verdict == Verdict::kFail && check.kind != CheckKind::kBuild &&
         check.kind != CheckKind::kPrediction;
}

/// Where the cause is known, the wrong answer that follows from it needs no other.
std::string said_by(const Check& check) {
  return check.title + "\n" + check.message.substr(0, check.message.find("\nAnd the answer is wrong"));
}

}  // namespace

void explain_faults(Result& result, const Explanations& explanations) {
  std::vector<const ErrorMeaning*> told;
  std::vector<std::string> cases;  // that fail: what is said of each, before anything is added
  for (const Check& check : result.checks)
    if (is_fault(check) && check.kind == CheckKind::kCorrectness) cases.push_back(said_by(check));
  for (Check& check : result.checks) {
    if (!is_fault(check)) continue;
    const std::string said = said_by(check);
    const auto says_it = [&](const ErrorMeaning& entry) {
      const auto fits = [&](const std::string& each) { return entry.fits(each); };
      return result.part.ends_with(entry.part) && fits(said) &&
             (!entry.only || std::ranges::all_of(cases, fits));
    };
    const auto found = std::ranges::find_if(explanations.faults, says_it);
    if (found == explanations.faults.end() || std::ranges::count(told, &*found) != 0) continue;
    told.push_back(&*found);
    check.message += "\n" + found->means;
  }
}

void explain_predictions(Result& result, const Explanations& explanations) {
  static constexpr std::string_view kPrefix = "prediction-";
  for (Check& check : result.checks) {
    if (check.kind != CheckKind::kPrediction || !check.id.starts_with(kPrefix)) continue;
    const bool right = check.verdict == Verdict::kPass;
    if ((!right && check.verdict != Verdict::kFail) || check.line != 0)
      continue;  // skipped, or the file is broken
    const auto found = explanations.predictions.find(check.id.substr(kPrefix.size()));
    if (found == explanations.predictions.end()) continue;
    const std::string why = filled(found->second, result, right ? Sentences::kOfDevice : Sentences::kAll);
    if (!why.empty()) check.message += "\n" + why;
  }
}

}  // namespace roofline::grader
