// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory that is never freed, from three places: the check that says so names them.
#include "expect.h"

template <class T>
struct Vector {
  T* data = nullptr;
  explicit Vector(int n) { OK(cudaMalloc(&data, n * sizeof(T))); }
};

__attribute__((noinline)) static float* make_weights() {
  static size_t pitch;
  static float* weights;
  OK(cudaMallocPitch(&weights, &pitch, 64, 4));  // line 16
  return weights;
}

int main() {
  int* x = nullptr;
  OK(cudaMalloc(&x, 64));  // line 22
  EXPECT(make_weights() != nullptr);
  const Vector<double> y(32);  // line 24
  return y.data == nullptr;
}
