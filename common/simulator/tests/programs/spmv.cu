// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Sparse matrix times vector in compressed rows: one thread a row, and one warp a row.
#include <cmath>
#include <vector>

#include "expect.h"

struct Matrix {
  int rows;
  const int *starts, *columns;
  const double* values;
};

__global__ void thread_a_row(Matrix m, const double* x, double* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m.rows) return;
  double sum = 0;
  for (int i = m.starts[row]; i < m.starts[row + 1]; i++) sum += m.values[i] * x[m.columns[i]];
  y[row] = sum;
}

__global__ void warp_a_row(Matrix m, const double* x, double* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= m.rows) return;
  double sum = 0;
  for (int i = m.starts[row] + lane; i < m.starts[row + 1]; i += 32) sum += m.values[i] * x[m.columns[i]];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  if (lane == 0) y[row] = sum;
}

template <class T>
const T* on_device(const std::vector<T>& host) {
  T* p;
  OK(cudaMalloc(&p, host.size() * sizeof(T)));
  OK(cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

int main() {
  const int rows = 300;
  std::vector<int> starts{0}, columns;
  std::vector<double> values, x(rows), expected(rows), y(rows);
  for (int i = 0; i < rows; i++) x[i] = 1.0 / (i + 1);
  for (int row = 0; row < rows; row++) {
    for (int i = 0; i < row * row % 71; i++) {  // rows of very different lengths, some empty
      columns.push_back((row * 31 + i * 17) % rows);
      values.push_back(0.5 * i - row % 3);
      expected[row] += values.back() * x[columns.back()];
    }
    starts.push_back(static_cast<int>(columns.size()));
  }
  const Matrix m{rows, on_device(starts), on_device(columns), on_device(values)};
  const double* d_x = on_device(x);
  double* d_y;
  OK(cudaMalloc(&d_y, rows * sizeof(double)));
  for (int version = 0; version < 2; version++) {
    if (version == 0) thread_a_row<<<(rows + 127) / 128, 128>>>(m, d_x, d_y);
    if (version == 1) warp_a_row<<<(rows * 32 + 127) / 128, 128>>>(m, d_x, d_y);
    OK(cudaMemcpy(y.data(), d_y, rows * sizeof(double), cudaMemcpyDeviceToHost));
    for (int i = 0; i < rows; i++) EXPECT(std::fabs(y[i] - expected[i]) < 1e-9);
  }
  return 0;
}
