// bench: cuBLAS, cublasSgeam
// needs: gpu
// link: cublas
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// C = alpha * op(A) + beta * op(B) with op(A) the transpose and beta = 0. cuBLAS counts by columns: our rows
// are its columns.

#include <cublas_v2.h>

#include "transpose.h"

void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  const float one = 1, zero = 0;
  cublasSetStream(handle, stream);
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, x, columns, &zero, y, rows, y, rows);
}
