// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part A: what lies on four GPUs, as the arrays that all_reduce takes.

#include "all_reduce.h"
#include "worker/worker.h"

namespace {

void call(const float* x0, const float* x1, const float* x2, const float* x3, float* y0, float* y1, float* y2,
          float* y3, std::size_t n, cudaStream_t stream0, cudaStream_t stream1, cudaStream_t stream2,
          cudaStream_t stream3) {
  const float* const x[] = {x0, x1, x2, x3};
  float* const y[] = {y0, y1, y2, y3};
  const cudaStream_t streams[] = {stream0, stream1, stream2, stream3};
  all_reduce(x, y, 4, n, streams);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }
