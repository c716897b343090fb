// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/exam.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/lab/selection.h"
#include "grader/verbs/verbs.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace {

/// GPUs whose data sheets people know; the other device files repeat their architectures.
constexpr const char* kAskedAbout[] = {"a100-sxm4-40gb", "h200", "l4", "rtx4090", "t4"};

ExamGpu exam_gpu(const std::filesystem::path& devices, const std::string& id) {
  const sim::DeviceDescription d = sim::load_device(devices, id);
  const double clocks = d.sms * d.clock_mhz * 1e-6;
  return {.name = d.name,
          .dram_gbps = d.dram_gbps,
          .fp32_tflops = 2 * 32 * d.fma_rate * clocks,
          .tensor_tflops = d.tensor_f16_f32_flops_per_clock * d.sms * d.tensor_clock_mhz * 1e-6,
          .link_gbps = d.pinned_gbps,
          .sms = static_cast<unsigned>(d.sms)};
}

}  // namespace

int exam_verb(const Paths& paths, const ExamRequest& request) {
  if (!request.out.empty()) require_place(request.out);
  std::vector<ExamGpu> gpus;
  for (const char* id : kAskedAbout) gpus.push_back(exam_gpu(paths.simulator() / "devices", id));
  std::uint64_t seed = request.seed;
  while (seed == 0) seed = std::random_device{}();
  std::vector<ExamQuestion> questions = exam_questions(seed, gpus);
  if (!request.labs.empty()) {
    std::vector<std::string> wanted;
    const std::vector<Lab> labs = all_labs();  // a part points into them
    for (const Chosen& part : select(labs, request.labs)) wanted.push_back(part.id().substr(0, 2));
    std::erase_if(questions, [&](const ExamQuestion& question) {
      return std::ranges::find(wanted, question.id.substr(0, 2)) == wanted.end();
    });
  }
  if (questions.empty()) throw UsageError("the bank has no question about these labs");
  const std::string paper = exam_paper(questions, seed, request.key);
  if (request.out.empty())
    std::fputs(paper.c_str(), stdout);
  else
    write_file(request.out, paper);
  if (request.seed == 0)
    std::fprintf(stderr, "The answers: the same command with --seed %llu --key\n",
                 static_cast<unsigned long long>(seed));
  return 0;
}

}  // namespace roofline::grader
