// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What is wrong with an outcome, without a device.
#include "grader/call/examine.h"

#include <gtest/gtest.h>

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

// Breaks when a reference that looks at all inputs is made again for every element, or not used.
TEST_F(Examine, OneReferenceForTheCall) {
  write(outcome_, "sum", sum());
  EXPECT_FALSE(examine(*plan_, outcome_, input_, {}).fault);
  EXPECT_EQ(asked_, 1);
  write(outcome_, "sum", sum() + 1);
  EXPECT_EQ(examine(*plan_, outcome_, input_, {}).fault.reason, Class::kWrongAnswer);
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
