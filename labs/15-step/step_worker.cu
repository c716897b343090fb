// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of this lab. A model is created before the clock runs. A call brings the parameters to where
// they begin, and asks for several steps, each with data, rate and place for its loss of its own.

#include "cuda/check.h"
#include "step.h"
#include "worker/worker.h"

namespace {

constexpr int kBlock = 256;

Model* model = nullptr;
Shape shape;

// Four parameters a thread.
__global__ void begin_again(Parameters to, const float4* w, const float4* m, const float4* v, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float4 weights = w[i];
  reinterpret_cast<float4*>(to.w)[i] = weights;
  reinterpret_cast<float4*>(to.m)[i] = m[i];
  reinterpret_cast<float4*>(to.v)[i] = v[i];
  half2* const h = reinterpret_cast<half2*>(to.h) + 2 * i;
  h[0] = __floats2half2_rn(weights.x, weights.y);
  h[1] = __floats2half2_rn(weights.z, weights.w);
}

// A run's result: w, m and v, behind them the halves, two in the place of a float, and then the losses.
Parameters parameters_in(float* result, std::size_t count) {
  return {result, result + count, result + 2 * count, reinterpret_cast<half*>(result + 3 * count)};
}
float* losses_in(float* result, std::size_t count) { return result + 3 * count + count / 2; }

void prepare(const half*, const half*, const float*, const float*, const float*, float* result, int, int,
             int sequences, int length, int width, float, cudaStream_t stream) {
  shape = {sequences, length, width};
  model = create(shape, parameters_in(result, Offsets(width).count), stream);
}

void call(const half* x, const half* targets, const float* w0, const float* m0, const float* v0,
          float* result, int steps, int first, int, int, int, float rate, cudaStream_t stream) {
  if (model == nullptr) return;  // the step is not complete yet
  const std::size_t count = Offsets(shape.width).count, elements = std::size_t(shape.tokens()) * shape.width;
  const auto fours = static_cast<unsigned>(count / 4);
  begin_again<<<(fours + kBlock - 1) / kBlock, kBlock, 0, stream>>>(
      parameters_in(result, count), reinterpret_cast<const float4*>(w0), reinterpret_cast<const float4*>(m0),
      reinterpret_cast<const float4*>(v0), fours);
  CUDA_CHECK(cudaGetLastError());
  for (int k = 0; k < steps; ++k)
    step(model,
         {x + k * elements, targets + k * elements, losses_in(result, count) + k, rate / (1 + 0.5F * k),
          first + k},
         stream);
}

void release_all() {
  if (model != nullptr) release(model);
  model = nullptr;
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(prepare, call, release_all, argc, argv); }
