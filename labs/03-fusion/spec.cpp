// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <random>
#include <utility>

#include "expression.h"
#include "grader/lab/roof.h"
#include "random_expression.h"

namespace roofline::grader {
namespace {

/// The trusted program of a roof computes what the part asks for: same arguments, same reference.
Program as_in_roof(std::string_view id, std::string header, std::string source, std::string function) {
  Program program = roof(id).program;
  program.header = std::move(header);
  program.source = std::move(source);
  program.function = std::move(function);
  return program;
}

// ---- A: two cosines ----

Part cosine() {
  return {
      .letter = "a",
      .title = "fusion A: cos(cos(x)) in one kernel",
      .program = as_in_roof("cosine", "cosine.h", "cosine.cu", "cosine_twice"),
      .cases = common_cases({.in_place = {{"y", "x"}}}),
      .goals = {{.id = "cosine",
                 .title = "8 bytes an element, beside a trusted fused kernel",
                 .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 8})}},
                 .roof = "cosine",
                 .work = [](const Settings& s) { return 8 * s["n"]; },
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {one_kernel(), coalesced(1.10)},
      .steps = {{.id = "right",
                 .title = "every element is right, be it with two kernels",
                 .how = "A kernel that writes cos(x), and the same kernel once more on what it wrote.",
                 .measurement = "cosine"},
                {.id = "fused",
                 .title = "one kernel: the value in between stays in a register",
                 .how = "Call the second cosine in the kernel of the first, and store once.",
                 .measurement = "cosine",
                 .at_least = 0.60,
                 .checks = {"kernels"}},
                {.id = "roof",
                 .title = "as fast as the trusted kernel",
                 .how =
                     "A thread an element, neighbours at neighbouring addresses: lab 01's shape is enough.",
                 .measurement = "cosine",
                 .at_least = 0.90,
                 .checks = {"kernels", "coalesced"}}},
      .predictions = {{.key = "a_bytes_unfused",
                       .question = "DRAM bytes for one element of cos(cos(x)) in two kernels",
                       .expected = 16,
                       .unit = "B"},
                      {.key = "a_bytes_fused", .question = "and in one kernel", .expected = 8, .unit = "B"}},
  };
}

// ---- B: the end of a feed-forward layer ----

constexpr double kDropTenth = 429496730;  // 0.1 * 2^32

Case shape(std::uint64_t rows, std::uint64_t columns) {
  const std::string r = std::to_string(rows), c = std::to_string(columns);
  return {.id = r + "x" + c,
          .title = r + (r == "1" ? " row of " : " rows of ") + c,
          .settings = {{"rows", static_cast<double>(rows)},
                       {"columns", static_cast<double>(columns)},
                       {"threshold", kDropTenth}}};
}

/// The threshold is a word of the mask, or the number after it: the element of that word is the last one that
/// is kept, or the first that is dropped. Only integers tell the two apart: a float has 24 bits.
std::vector<Case> close_thresholds() {
  constexpr double kSeed = 20, kWord = 956299842;  // philox(20, 7).word[0], of element 28
  std::vector<Case> cases;
  for (const auto& [more, title] : {std::pair{0, "the threshold is the random number of an element"},
                                    {1, "the threshold is one more than the random number of an element"}}) {
    Case one = shape(33, 64);
    one.id = "threshold-" + std::to_string(more);
    one.title = title;
    one.settings[2].second = kWord + more;
    one.settings.emplace_back("seed", kSeed);
    cases.push_back(one);
  }
  return cases;
}

std::vector<Case> residual_cases() {
  std::vector<Case> cases = common_cases({.size = "rows",
                                          .sizes = {0, 1, 33, 257, 1023},
                                          .in_place = {{"y", "x"}},
                                          .fixed = {{"columns", 96}, {"threshold", kDropTenth}}});
  // kRagged rows of 96 would be ten million elements.
  for (Case& each : cases) {
    for (auto& [name, value] : each.settings)
      if (name == "rows" && value.at({}) > 5000) value = 1001;
    // Below 1, the largest number scaled stays one, whatever the order of the last two operations.
    if (each.special_values) each.settings.emplace_back("scale", 0.5);
  }
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, {7, 1}, {5, 3}, {31, 33}, {3, 4}, {100, 255}, {17, 1028}})
    cases.push_back(shape(static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns)));
  Case onto_residual = shape(65, 128);
  onto_residual.id = "in-place-residual";
  onto_residual.title = "in place: y is residual";
  onto_residual.alias = {{"y", "residual"}};
  Case keep_all = shape(33, 64), drop_most = shape(33, 64);
  keep_all.id = "keep-all";
  keep_all.title = "nothing is dropped: threshold = 0";
  keep_all.settings[2].second = 0;
  drop_most.id = "drop-most";
  drop_most.title = "nearly everything is dropped";
  drop_most.settings[2].second = 4294967295.0;
  return cases + std::vector<Case>{onto_residual, keep_all, drop_most} + close_thresholds();
}

Part residual() {
  const auto elements = [](const Settings& s) { return s["rows"] * s["columns"]; };
  const NamedValues size = roof("unfused").settings;
  return {
      .letter = "b",
      .title = "fusion B: bias, gelu, dropout and residual in one kernel",
      .program = as_in_roof("unfused", "residual.h", "residual.cu", "residual_block"),
      .cases = residual_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "12 bytes an element, at the copy roof",
                 .settings = size,
                 .roof = "copy",
                 .work = [=](const Settings& s) { return 12 * elements(s); },
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}},
                // 36 bytes against 12: three times as fast if bytes are all that counts.
                {.id = "speed-up",
                 .title = "times as fast as four kernels; the bytes promise 3",
                 .settings = size,
                 .roof = "unfused",
                 .work = elements,
                 .thresholds = {{0, {.pass = 0.85 * 3, .good = 0.85 * 3, .excellent = 0.85 * 3}}}}},
      .structure = {one_kernel(), coalesced(1.10)},
      .predictions =
          {{.key = "b_passes_unfused",
            .question = "how often four kernels read or write a whole matrix",
            .expected = 9},
           {.key = "b_passes_fused", .question = "and one kernel", .expected = 3},
           {.key = "b_regime", .question = "one kernel: compute, memory or overhead?", .word = "memory"},
           {.key = "b_microseconds",
            .question = "time of one kernel for 8192 x 4096 elements on the A100-40 at its data-sheet "
                        "bandwidth",
            .expected = 258.9,
            .factor = 1.25,
            .unit = "us"}},
  };
}

// ---- C: a fusing compiler ----

const std::string kInputs[] = {"x0", "x1", "x2", "x3"}, kConstantNames[] = {"c0", "c1", "c2", "c3"},
                  kWords[] = {"w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7"};

/// The expression that set() has put into the settings of a call.
Expression expression_of(const CallView& call) {
  Expression e{.nodes_used = static_cast<int>(call.scalar("nodes")),
               .inputs_used = static_cast<int>(call.scalar("inputs")),
               .nodes = {},
               .constants = {}};
  for (int k = 0; k < e.nodes_used; ++k) {
    const auto bits = static_cast<std::uint64_t>(call.scalar(kWords[k / 2])) >> (k % 2 * 24);
    e.nodes[k] = {static_cast<Op>(bits & 255), static_cast<std::uint8_t>(bits >> 8 & 255),
                  static_cast<std::uint8_t>(bits >> 16 & 255)};
  }
  std::ranges::transform(kConstantNames, e.constants,
                         [&](const std::string& name) { return static_cast<float>(call.scalar(name)); });
  return e;
}

void evaluate_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const Expression e = expression_of(call);
  std::span<const float> inputs[Expression::kMostInputs];
  std::ranges::transform(kInputs, inputs, [&](const std::string& name) { return call.input<float>(name); });
  for (auto i = begin; i < end; ++i) {
    Expected value[Expression::kMostNodes];
    for (int k = 0; k < e.nodes_used; ++k) {
      const Node node = e.nodes[k];
      if (node.op == Op::kInput)
        value[k] = {inputs[node.a][i], 0};
      else if (node.op == Op::kConstant)
        value[k] = {e.constants[node.a], 0};
      else
        value[k] = apply(node.op, value[node.a], value[node.b]);
    }
    expected[i - begin] = value[e.nodes_used - 1];
  }
}

void set(NamedValues& settings, const Expression& e) {
  settings.emplace_back("nodes", e.nodes_used);
  settings.emplace_back("inputs", e.inputs_used);
  for (int w = 0; w < Expression::kMostNodes / 2; ++w) {
    double word = 0;
    for (const int half : {1, 0}) {
      const Node& node = e.nodes[2 * w + half];
      word = word * 0x1p24 + static_cast<double>(static_cast<int>(node.op) | node.a << 8 | node.b << 16);
    }
    settings.emplace_back(kWords[w], word);
  }
}

/// The order in which the expressions A to H come: A to E three times or more, never sorted. Two come again
/// at once, so that a quick check sees whether they are remembered, and rightly, without waiting for all
/// compilations.
constexpr int kOrder[] = {0, 1, 0, 1, 2, 3, 4, 2, 0, 3, 4, 1, 2, 4, 3, 2, 5, 6, 7};
constexpr double kSizes[] = {1, 255, 1023,      257, 33,  100'003, 0,  1024, 31, 10'000,
                             1, 32,  1'048'579, 256, 257, 4099,    65, 65,   65};

/// New expressions for every run, in the cases as in the goals.
void draw(Part& part, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::vector<Expression> expressions = random_expressions(random);
  for (std::size_t i = 0; i < part.cases.size(); ++i)
    set(part.cases[i].settings, expressions[static_cast<std::size_t>(kOrder[i % std::size(kOrder)])]);
  for (Goal& goal : part.goals) {
    const auto inputs = static_cast<int>(goal.settings[1].second.at({}));
    goal.settings.erase(goal.settings.begin() + 1);
    set(goal.settings, sound_expression(random, inputs, true));
  }
}

Program compiler_program() {
  Program program{.header = "compiler.h", .source = "compiler.cu", .function = "evaluate"};
  for (int k = 0; k < Expression::kMostInputs; ++k)
    program.arguments.push_back(
        in(kInputs[k], [k](const Settings& s) { return k < s["inputs"] ? s["n"] : 0; }));
  program.arguments.push_back(out("y", "n"));
  for (const std::string& word : kWords) program.arguments.push_back(size(word));
  for (const std::string& constant : kConstantNames) program.arguments.push_back(scalar(constant));
  program.arguments.insert(program.arguments.end(),
                           {size("nodes", Type::kS32), size("inputs", Type::kS32), size("n"), stream()});
  program.outputs = {{.argument = "y",
                      .reference = evaluate_reference,
                      .tolerance = {.c = 4},
                      // A node: look up its operation and operands, compute value and magnitude.
                      .cost = [](const Settings& s) { return 20 * s["nodes"]; }}};
  program.scalars_in_words = [](const CallView& call) { return text_of(expression_of(call)); };
  return program;
}

std::vector<Case> compiler_cases() {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < std::size(kOrder); ++i) {
    const std::string n = std::to_string(static_cast<int>(kSizes[i])),
                      which(1, static_cast<char>('A' + kOrder[i]));
    cases.push_back({.id = "call-" + std::to_string(i + 1) + "-" + which,
                     .title = "call " + std::to_string(i + 1) + ": expression " + which + ", n = " + n,
                     .settings = {{"n", kSizes[i]}}});
  }
  for (const unsigned elements : {1U, 2U})
    cases.push_back(misaligned({.settings = {{"n", 10'007}}}, elements));
  return cases;
}

Goal compiled(int inputs, const std::string& title) {
  const double bytes = 4.0 * (inputs + 1);
  return {.id = "inputs-" + std::to_string(inputs),
          .title = title,
          .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = bytes})},
                       {"inputs", inputs}},
          .roof = "copy",
          .work = [bytes](const Settings& s) { return bytes * s["n"]; },
          .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}};
}

/// An activation function by itself, through the learner's compiler: timed and shown, not graded.
Goal activation(const std::string& name, const std::vector<Node>& nodes,
                const std::vector<double>& constants = {}) {
  Expression e{.nodes_used = static_cast<int>(nodes.size()), .inputs_used = 1, .nodes = {}, .constants = {}};
  std::ranges::copy(nodes, e.nodes);
  Goal goal = compiled(1, "your compiler's " + name);
  goal.id = name;
  goal.settings.pop_back();
  set(goal.settings, e);
  for (std::size_t k = 0; k < constants.size(); ++k)
    goal.settings.emplace_back(kConstantNames[k], constants[k]);
  return goal;
}

/// x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))), the form that GPT-2 uses.
Goal gelu() {
  return activation("gelu",
                    {{Op::kInput, 0, 0},
                     {Op::kMultiply, 0, 0},
                     {Op::kConstant, 0, 0},
                     {Op::kMultiply, 1, 2},
                     {Op::kConstant, 1, 0},
                     {Op::kAdd, 3, 4},
                     {Op::kMultiply, 0, 5},
                     {Op::kTanh, 6, 0},
                     {Op::kConstant, 2, 0},
                     {Op::kAdd, 7, 8},
                     {Op::kMultiply, 0, 9},
                     {Op::kConstant, 3, 0},
                     {Op::kMultiply, 10, 11}},
                    {0.7978845608 * 0.044715, 0.7978845608, 1, 0.5});
}

Part compiler() {
  return {
      .letter = "c",
      .title = "fusion C: a compiler that fuses",
      .program = compiler_program(),
      .cases = compiler_cases(),
      .goals = {compiled(1, "an expression of one input: 8 bytes an element"),
                compiled(3, "an expression of three inputs: 16 bytes an element")},
      .shown = {activation("relu", {{Op::kInput, 0, 0}, {Op::kRelu, 0, 0}}),
                activation("tanh", {{Op::kInput, 0, 0}, {Op::kTanh, 0, 0}}),
                activation("silu", {{Op::kInput, 0, 0}, {Op::kSigmoid, 0, 0}, {Op::kMultiply, 0, 1}}),
                gelu()},
      .structure = {one_kernel(), coalesced(1.10), no_new_code()},
      .predictions = {{.key = "c_bytes",
                       .question =
                           "DRAM bytes an element for an expression of 3 inputs and 9 operations, fused",
                       .expected = 16,
                       .unit = "B"},
                      {.key = "c_bytes_unfused",
                       .question = "with a kernel for each of the 9 operations, all of them binary",
                       .expected = 108,
                       .unit = "B"}},
      .host_to_device_limit = 256 * 1024,  // what a call compiles is code that reaches the device
      .adapter = "compiler_worker.cu",
      .given = {"expression.h"},
      .draw = draw,
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "fusion: do not go back to memory", .parts = {cosine(), residual(), compiler()}};
}

}  // namespace roofline::grader
