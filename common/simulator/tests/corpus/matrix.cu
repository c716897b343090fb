// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Tensor cores: wmma of every type and shape, and the inline assembly of tuned kernels. Compiled to PTX by
// corpus_test; never run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <type_traits>

using namespace nvcuda;

template <int M, int N, int K, typename In, typename Out, typename LayoutA, typename LayoutB, typename Memory>
__device__ void multiply(const Memory* a, const Memory* b, Out* c, Out* d, wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, M, N, K, In, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, In, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Out> fc, fd;
  wmma::load_matrix_sync(fa, a, 64);
  wmma::load_matrix_sync(fb, b, 64);
  if constexpr (std::is_same_v<In, wmma::precision::tf32>) {
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  }
  wmma::load_matrix_sync(fc, c, 64, layout);
  wmma::mma_sync(fd, fa, fb, fc);
  wmma::store_matrix_sync(d, fd, 64, layout);
}

template <int M, int N, int K, typename In, typename Out, typename Memory = In>
__device__ void layouts(const Memory* a, const Memory* b, Out* c, Out* d) {
  using wmma::col_major, wmma::row_major;
  multiply<M, N, K, In, Out, row_major, row_major>(a, b, c, d, wmma::mem_row_major);
  multiply<M, N, K, In, Out, row_major, col_major>(a, b, c, d, wmma::mem_col_major);
  multiply<M, N, K, In, Out, col_major, row_major>(a, b, c, d, wmma::mem_row_major);
  multiply<M, N, K, In, Out, col_major, col_major>(a, b, c, d, wmma::mem_col_major);
}

template <typename In, typename Out, typename Memory = In>
__device__ void shapes(const Memory* a, const Memory* b, Out* c, Out* d) {
  layouts<16, 16, 16, In, Out>(a, b, c, d);
  layouts<32, 8, 16, In, Out>(a, b, c, d);
  layouts<8, 32, 16, In, Out>(a, b, c, d);
}

__global__ void wmma_half(const __half* a, const __half* b, float* c, __half* d) {
  shapes<__half>(a, b, c, c + 1024);
  shapes<__half>(a, b, d, d + 1024);
}
__global__ void wmma_bfloat(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  shapes<__nv_bfloat16>(a, b, c, c + 1024);
}
__global__ void wmma_tf32(const float* a, const float* b, float* c) {
  layouts<16, 16, 8, wmma::precision::tf32, float>(a, b, c, c + 1024);
}
__global__ void wmma_bytes(const signed char* a, const unsigned char* b, int* c) {
  shapes<signed char>(a, a + 1024, c, c + 1024);
  shapes<unsigned char>(b, b + 1024, c, c + 1024);
}
__global__ void wmma_double(const double* a, const double* b, double* c) {
  layouts<8, 8, 4, double, double>(a, b, c, c + 1024);
}
__global__ void wmma_shared(const __half* a, float* c) {
  __shared__ __half tile[2][16 * 64];
  __shared__ float result[16 * 64];
  tile[0][threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  multiply<16, 16, 16, __half, float, wmma::row_major, wmma::col_major>(tile[0], tile[1], result, result,
                                                                        wmma::mem_row_major);
  __syncthreads();
  c[threadIdx.x] = result[threadIdx.x];
}

__global__ void tuned(const __half* a, unsigned* r, float* f, unsigned long long* policy) {
  __shared__ alignas(16) __half tile[1024];
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(a));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared), "l"(a), "r"(r[0]));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(a));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;");
  asm volatile("cp.async.wait_all;");
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[4]), "=r"(r[5])
               : "r"(shared));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[6]) : "r"(shared));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(r[8]), "+r"(r[9])
               : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
               : "r"(r[0]), "r"(r[1]), "r"(r[2]));
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(r[10]), "+r"(r[11]), "+r"(r[12]), "+r"(r[13])
      : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5]));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(a));
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy[0]));
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(f[4]), "=f"(f[5]), "=f"(f[6]), "=f"(f[7])
               : "l"(a));
  __pipeline_memcpy_async(tile + 8 * threadIdx.x, a + 8 * threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  f[8] = __half2float(tile[threadIdx.x]);
}
