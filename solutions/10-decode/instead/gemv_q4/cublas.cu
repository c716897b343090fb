// bench: cuBLAS, halves, as many bytes
// needs: gpu
// link: cublas
// not checked: it takes the same bytes for a matrix of halves with a quarter of the columns
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS has no product for 4-bit weights. This is what it does with a matrix of halves of the same bytes:
// a row of columns / 4 halves for each row of weights. What it finds in y is meaningless.

#include <cublas_v2.h>

#include "gemv_q4.h"

void gemv_q4(const std::uint8_t* w, const half*, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  if (rows == 0) return;
  static cublasHandle_t handle = [] {
    cublasHandle_t made = nullptr;
    cublasCreate(&made);
    return made;
  }();
  const float one = 1, zero = 0;
  const int halves = columns / 4;
  cublasSetStream(handle, stream);
  // Our rows are its columns: y = transposed(a) * x with a of halves x rows.
  cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, 1, halves, &one, w, CUDA_R_16F, halves, x, CUDA_R_16F,
               halves, &zero, y, CUDA_R_16F, rows, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
