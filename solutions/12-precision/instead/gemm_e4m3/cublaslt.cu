// bench: cuBLASLt, e4m3, a scale for each row and column
// needs: gpu
// link: cublasLt
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The same product with the same scales, which cuBLASLt calls outer vectors: from CUDA 12.9 on, for GPUs of
// compute capability 9.0. It wants k, m and n to be multiples of 16. cuBLASLt thinks in columns: a row-major
// C is C^T column by column, so our b is its first matrix and our a its second.

#include <cublasLt.h>

#include <cstdio>
#include <cstdlib>

#include "gemm_e4m3.h"

namespace {

void check(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "cuBLASLt: %s\n", cublasLtGetStatusString(status));
  std::exit(1);
}

/// What is made once: a handle, and memory that an algorithm may use.
struct Library {
  static constexpr std::size_t kBytes = std::size_t{32} << 20;
  cublasLtHandle_t handle = nullptr;
  void* workspace = nullptr;

  Library() {
    check(cublasLtCreate(&handle));
    if (cudaMalloc(&workspace, kBytes) != cudaSuccess) check(CUBLAS_STATUS_ALLOC_FAILED);
  }
};

template <class T>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t which, T value) {
  check(cublasLtMatmulDescSetAttribute(product, which, &value, sizeof value));
}

}  // namespace

void gemm_e4m3(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* scale_a, const float* scale_b,
               half* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  static const Library library;
  const float one = 1, zero = 0;
  cublasLtMatmulDesc_t product = nullptr;
  check(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
  set(product, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  set(product, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
  set(product, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F);
  set(product, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale_b);
  set(product, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale_a);
  cublasLtMatrixLayout_t of_b = nullptr, of_a = nullptr, of_c = nullptr;
  check(cublasLtMatrixLayoutCreate(&of_b, CUDA_R_8F_E4M3, k, n, k));
  check(cublasLtMatrixLayoutCreate(&of_a, CUDA_R_8F_E4M3, k, m, k));
  check(cublasLtMatrixLayoutCreate(&of_c, CUDA_R_16F, n, m, n));
  cublasLtMatmulPreference_t preference = nullptr;
  check(cublasLtMatmulPreferenceCreate(&preference));
  check(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                             &Library::kBytes, sizeof Library::kBytes));
  cublasLtMatmulHeuristicResult_t best = {};
  int found = 0;
  check(cublasLtMatmulAlgoGetHeuristic(library.handle, product, of_b, of_a, of_c, of_c, preference, 1, &best,
                                       &found));
  if (found == 0) check(CUBLAS_STATUS_NOT_SUPPORTED);
  check(cublasLtMatmul(library.handle, product, &one, b, of_b, a, of_a, &zero, c, of_c, c, of_c, &best.algo,
                       library.workspace, Library::kBytes, stream));
  cublasLtMatmulPreferenceDestroy(preference);
  cublasLtMatrixLayoutDestroy(of_c);
  cublasLtMatrixLayoutDestroy(of_a);
  cublasLtMatrixLayoutDestroy(of_b);
  cublasLtMatmulDescDestroy(product);
}
