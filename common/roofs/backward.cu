// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "backward.h"
#include "gradients/backward.h"

void backward_roof(const float* x, float* gradients, std::size_t n, int layers, float scale, int work,
                   cudaStream_t stream) {
  roofline::gradients::Backward backward(
      {.x = {x}, .gradients = {gradients}, .n = n, .layers = layers, .scale = scale, .work = work});
  for (int layer = layers - 1; layer >= 0; --layer) backward.layer(0, layer, stream);
}
