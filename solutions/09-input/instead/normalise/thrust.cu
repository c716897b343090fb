// bench: Thrust, tabulate
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One call with a function of the element's number. It says what is computed, and leaves a thread to each
// element: the first rung of the ladder.

#include <thrust/system/cuda/execution_policy.h>
#include <thrust/tabulate.h>

#include "normalise.h"

namespace {

struct Element {
  const std::uint8_t* nhwc;
  const float *mean, *scale;
  std::size_t pixels;

  __device__ half operator()(std::size_t at) const {
    const std::size_t plane = at / pixels, pixel = at % pixels, image = plane / 3, c = plane % 3;
    return __float2half((nhwc[3 * (image * pixels + pixel) + c] - mean[c]) * scale[c]);
  }
};

}  // namespace

void normalise(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int images,
               int pixels, cudaStream_t stream) {
  const std::size_t each = pixels;
  thrust::tabulate(thrust::cuda::par_nosync.on(stream), nchw, nchw + 3 * each * images,
                   Element{nhwc, mean, scale, each});
}
