// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What is wrong with an outcome, without a device.
#include "grader/call/examine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace roofline::grader {
namespace {

/// A sum of n floats, with four floats of scratch memory.
class Examine : public testing::Test {
 protected:
  Examine() {
    program_ = {
        .header = "h",
        .source = "s",
        .function = "f",
        .arguments = {in("x", "n"), out("sum", [](const Settings&) { return 1; }),
                      scratch("work", [](const Settings&) { return 4; }), size("n"), stream()},
        .outputs = {{.argument = "sum", .tolerance = {.c = 16}, .reference_of = [this](const CallView& call) {
                       ++asked_;
                       double sum = 0;
                       for (const float v : call.input<float>("x")) sum += static_cast<double>(v);
                       return [sum](const CallView&, std::uint64_t, std::uint64_t, Expected* expected) {
                         *expected = {sum, 100};
                       };
                     }}}};
    CallShape shape;
    shape.settings.set("n", 100);
    shape.seed = 3;
    plan_.emplace(program_, shape);
    input_.resize(plan_->input_bytes());
    outcome_.output.resize(plan_->output_bytes());
    plan_->fill(input_, outcome_.output);
    // A device that changed nothing gives the inputs back.
    const ArrayPlan& x = plan_->array("x");
    std::memcpy(outcome_.output.data() + x.record.destination, input_.data() + x.record.source,
                x.record.image_bytes);
  }

  void write(CallOutcome& outcome, const char* name, float value) const {
    const ArrayPlan& array = plan_->array(name);
    std::memcpy(outcome.output.data() + array.record.destination + array.record.payload, &value,
                sizeof value);
  }
  float sum() const {
    double sum = 0;
    for (const float v : plan_->view(input_).input<float>("x")) sum += static_cast<double>(v);
    return static_cast<float>(sum);
  }

  int asked_ = 0;
  Program program_;
  std::optional<CallPlan> plan_;
  std::vector<std::byte> input_;
  CallOutcome outcome_;
};

// Breaks when a setting that only says what arrays hold is shown as if the function had it.
TEST_F(Examine, ACaseIsShownByTheFunctionsArguments) {
  CallShape shape = plan_->shape();
  shape.settings.set("content", 2);
  EXPECT_EQ(arguments_text({program_, shape}), "n = 100");
  program_.arguments.erase(program_.arguments.end() - 2);
  EXPECT_EQ(arguments_text({program_, shape}), "n = 100, content = 2");
}

// Breaks when a reference that looks at all inputs is made again for every element, or not used.
TEST_F(Examine, OneReferenceForTheCall) {
  write(outcome_, "sum", sum());
  EXPECT_FALSE(examine(*plan_, outcome_, input_, {}).fault);
  EXPECT_EQ(asked_, 1);
  write(outcome_, "sum", sum() + 1);
  EXPECT_EQ(examine(*plan_, outcome_, input_, {}).fault.reason, Class::kWrongAnswer);
}

// Breaks when a spec says a GPU that is not there, or the worker is not told which array and which stream is
// whose.
TEST(OnGpu, ArraysAndStreamsHaveTheirs) {
  Program program{
      .header = "h",
      .source = "s",
      .function = "f",
      .arguments = joined(
          {on_each_gpu(2, in("x", "n")), {on_gpu(1, out("y", "n")), size("n")}, on_each_gpu(2, stream())}),
      .gpus = 2};
  CallShape shape;
  shape.settings.set("n", 10);
  const CallPlan plan(program, shape);
  EXPECT_EQ(plan.array("x[1]").record.gpu, 1);
  const worker::Request request = plan.load_request();
  const std::vector<int> expected = {0, 1, 1, 0, 0, 1};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(request.arrays[i].gpu, expected[i]) << i;
  program.gpus = 1;
  EXPECT_THROW(CallPlan(program, shape), std::invalid_argument);
}

// Breaks when two GPUs may hold different bits of one result, each of which is near enough.
TEST_F(Examine, OutputsThatHaveToBeTheSame) {
  program_.arguments.push_back(on_gpu(1, out("copy", [](const Settings&) { return 1; })));
  program_.gpus = 2;
  program_.outputs.push_back({.argument = "copy", .same_bits_as = "sum"});
  CallShape shape;
  shape.settings.set("n", 100);
  plan_.emplace(program_, shape);
  input_.resize(plan_->input_bytes());
  outcome_.output.resize(plan_->output_bytes());
  plan_->fill(input_, outcome_.output);
  const ArrayPlan& x = plan_->array("x");
  std::memcpy(outcome_.output.data() + x.record.destination, input_.data() + x.record.source,
              x.record.image_bytes);
  write(outcome_, "sum", sum());
  write(outcome_, "copy", sum());
  EXPECT_FALSE(examine(*plan_, outcome_, input_, {}).fault);
  write(outcome_, "copy", std::nextafter(sum(), 100.0F));
  const Fault fault = examine(*plan_, outcome_, input_, {}).fault;
  EXPECT_EQ(fault.reason, Class::kWrongAnswer);
  EXPECT_NE(fault.message.find("copy and sum differ in their bits, first at index 0"), std::string::npos)
      << fault.message;
}

// Breaks when what a call leaves in its scratch memory counts as its answer.
TEST_F(Examine, NobodyReadsTheScratchMemory) {
  write(outcome_, "work", 1);
  EXPECT_EQ(examine(*plan_, outcome_, input_, {}).fault.reason, Class::kNotImplemented);
  write(outcome_, "sum", sum());
  CallOutcome other = outcome_;
  write(other, "work", 2);
  EXPECT_FALSE(first_difference(*plan_, outcome_, other));
  write(other, "sum", 2);
  EXPECT_TRUE(first_difference(*plan_, outcome_, other));
}

}  // namespace
}  // namespace roofline::grader
