// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <cmath>
#include <vector>

#include "adam_step.h"

namespace {

template <class T>
std::vector<T> from_device(const T* from, std::size_t n, cudaStream_t stream) {
  std::vector<T> to(n);
  cudaMemcpyAsync(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return to;
}
template <class T>
void to_device(T* to, const std::vector<T>& from, cudaStream_t stream) {
  cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

}  // namespace

struct Optimizer {
  std::vector<Tensor> tensors;
};

Optimizer* adam_prepare(const Tensor* tensors, int count, cudaStream_t) {
  return new Optimizer{{tensors, tensors + count}};
}

void adam_step(Optimizer* optimizer, const half* gradients, Scaler* scaler, const Adam& a,
               cudaStream_t stream) {
  std::vector<Scaler> s = from_device(scaler, 1, stream);
  const float scale = s[0].scale;
  bool overflow = false;
  for (const Tensor& t : optimizer->tensors)
    for (const half g : from_device(gradients + t.offset, t.size, stream))
      overflow = overflow || !std::isfinite(__half2float(g));
  if (overflow) {
    s[0] = {0.5F * scale, 0, s[0].step};
    return to_device(scaler, s, stream);
  }
  const double less1 = 1 - std::pow(double{a.beta1}, ++s[0].step),
               less2 = 1 - std::pow(double{a.beta2}, s[0].step);
  if (++s[0].good == a.interval) s[0] = {2 * scale, 0, s[0].step};
  to_device(scaler, s, stream);
  for (const Tensor& t : optimizer->tensors) {
    const std::vector<half> gradient = from_device(gradients + t.offset, t.size, stream);
    std::vector<float> w = from_device(t.weight, t.size, stream), m = from_device(t.m, t.size, stream),
                       v = from_device(t.v, t.size, stream);
    std::vector<half> h(t.size);
    for (std::size_t i = 0; i < t.size; ++i) {
      const float g = __half2float(gradient[i]) / scale;
      m[i] = a.beta1 * m[i] + (1 - a.beta1) * g;
      v[i] = a.beta2 * v[i] + (1 - a.beta2) * g * g;
      w[i] -= float(a.rate * (m[i] / less1) / (std::sqrt(v[i] / less2) + a.epsilon));
      h[i] = __float2half(w[i]);
    }
    to_device(t.weight, w, stream);
    to_device(t.m, m, stream);
    to_device(t.v, v, stream);
    to_device(t.half_weight, h, stream);
  }
}

void adam_release(Optimizer* optimizer) { delete optimizer; }
