// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of this lab: two solvers, prepared before the clock runs, and three runs that take turns. Each
// run has an input, a length of step and a number of steps of its own.

#include "cuda/check.h"
#include "launch.h"
#include "worker/worker.h"

namespace {

constexpr int kRuns = 3, kSolvers = 2, kArrays = 6;

State states[kSolvers];
Solver* solvers[kSolvers];

void prepare_all(const float*, float*, int, float, float, float, std::size_t n, cudaStream_t stream) {
  for (int i = 0; i < kSolvers; ++i) {
    float* memory = nullptr;
    CUDA_CHECK(cudaMalloc(&memory, kArrays * n * sizeof(float)));
    states[i] = {memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, memory + 5 * n, n};
    static State passed;  // it does not stay: a solver keeps a copy
    passed = states[i];
    solvers[i] = prepare(passed, stream);
    passed = {};
  }
}

void release_all() {
  for (int i = 0; i < kSolvers; ++i) {
    if (solvers[i] != nullptr) release(solvers[i]);
    CUDA_CHECK(cudaFree(states[i].u));
  }
}

void call(const float* x, float* y, int steps, float dt0, float dt1, float dt2, std::size_t n,
          cudaStream_t stream) {
  const float dt[kRuns] = {dt0, dt1, dt2};
  for (int r = 0; r < kRuns; ++r) {
    const int i = r % kSolvers;
    if (solvers[i] == nullptr) return;  // prepare still has to be written
    CUDA_CHECK(cudaMemcpyAsync(states[i].u, x + r * n, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    run(solvers[i], steps + r, dt[r], stream);
    CUDA_CHECK(cudaMemcpyAsync(y + r * n, states[i].u, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return roofline::worker::serve(prepare_all, call, release_all, argc, argv);
}
