// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Warp functions, atomics, cache hints, fences, clocks. Compiled to PTX by corpus_test; never run.
#include <cstdint>
#include <cstdio>

__global__ void shuffles(int* i, float* f, double* d, long long* l, unsigned* u) {
  i[0] = __shfl_sync(~0u, i[1], i[2]) + __shfl_up_sync(~0u, i[3], 1) + __shfl_down_sync(0xffff, i[4], 2, 16);
  f[0] = __shfl_xor_sync(~0u, f[1], 16);
  d[0] = __shfl_down_sync(~0u, d[1], 8);
  l[0] = __shfl_sync(~0u, l[1], 3);
  i[5] = __all_sync(~0u, i[6]) + __any_sync(~0u, i[7]);
  u[0] = __ballot_sync(~0u, i[8]) + __activemask() + __uni_sync(~0u, i[9]);
  u[1] = __match_any_sync(~0u, u[2]) + __match_any_sync(~0u, l[2]);
  int predicate;
  u[3] = __match_all_sync(~0u, u[4], &predicate) + predicate;
  __syncwarp();
  __syncwarp(0xffu);
  u[5] = __reduce_add_sync(~0u, u[6]) + __reduce_min_sync(~0u, u[7]) + __reduce_max_sync(~0u, u[8]);
  u[9] = __reduce_and_sync(~0u, u[10]) + __reduce_or_sync(~0u, u[11]) + __reduce_xor_sync(~0u, u[12]);
  i[10] = __reduce_min_sync(~0u, i[11]) + __reduce_max_sync(~0u, i[12]);
  i[13] = __syncthreads_count(i[14]) + __syncthreads_and(i[15]) + __syncthreads_or(i[16]);
}

template <typename T>
__device__ void exchange(T* x) {
  x[0] = atomicExch(x + 1, x[2]);
  x[3] = atomicCAS(x + 4, x[5], x[6]);
}

template <typename T>
__device__ void integer_atomics(T* x) {
  exchange(x);
  x[10] = atomicAdd(x + 11, x[12]);
  x[13] = atomicMin(x + 14, x[15]) + atomicMax(x + 16, x[17]);
  x[18] = atomicAnd(x + 19, x[20]) + atomicOr(x + 21, x[22]) + atomicXor(x + 23, x[24]);
  atomicAdd(x + 30, x[31]);
  atomicMin(x + 32, x[33]);
  atomicMax(x + 34, x[35]);
  atomicAnd(x + 36, x[37]);
  atomicOr(x + 38, x[39]);
  atomicXor(x + 40, x[41]);
  atomicAdd_block(x + 42, x[43]);
  atomicAdd_system(x + 44, x[45]);
  atomicCAS_system(x + 46, x[47], x[48]);
  atomicExch_block(x + 49, x[50]);
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* ul, float* f, double* d,
                        unsigned short* us) {
  __shared__ int si[64];
  __shared__ unsigned su[64];
  __shared__ unsigned long long sul[64];
  __shared__ float sf[4];
  __shared__ double sd[4];
  integer_atomics(i);
  integer_atomics(u);
  integer_atomics(ul);
  integer_atomics(si);
  integer_atomics(su);
  integer_atomics(sul);
  i[60] = atomicSub(i + 61, 3);
  u[60] = atomicInc(u + 61, 7) + atomicDec(u + 62, 9);
  su[60] = atomicInc(su + 61, 7);
  f[0] = atomicAdd(f + 1, f[2]);
  atomicAdd(f + 3, f[4]);
  f[5] = atomicExch(f + 6, f[7]);
  d[0] = atomicAdd(d + 1, d[2]);
  atomicAdd(d + 3, d[4]);
  atomicAdd(sf, f[8]);
  sf[1] = atomicAdd(sf + 2, 1.f);
  atomicAdd(sd, d[5]);
  us[0] = atomicCAS(us + 1, us[2], us[3]);
  __syncthreads();
  i[70] =
      si[threadIdx.x & 63] + su[threadIdx.x & 63] + static_cast<int>(sul[threadIdx.x & 63] + sf[1] + sd[0]);
}

template <typename T>
__device__ void hinted(T* x) {
  x[0] = __ldg(x + 10);
  x[1] = __ldca(x + 11);
  x[2] = __ldcg(x + 12);
  x[3] = __ldcs(x + 13);
  x[4] = __ldlu(x + 14);
  x[5] = __ldcv(x + 15);
  __stwb(x + 20, x[6]);
  __stcg(x + 21, x[7]);
  __stcs(x + 22, x[8]);
  __stwt(x + 23, x[9]);
}

__global__ void cache_hints(char* c, short* s, int* i, long long* l, float* f, double* d, int2* i2,
                            float2* f2, float4* f4, double2* d2, uchar4* c4, ushort2* s2) {
  hinted(c);
  hinted(s);
  hinted(i);
  hinted(l);
  hinted(f);
  hinted(d);
  hinted(i2);
  hinted(f2);
  hinted(f4);
  hinted(d2);
  hinted(c4);
  hinted(s2);
}

__global__ void plain_access(char* c, short* s, uchar2* c2, ushort4* s4, longlong2* l2, volatile int* v,
                             volatile float* vf, volatile unsigned char* vc) {
  __shared__ char sc[8];
  __shared__ float4 sf4[8];
  c[0] = c[1];
  s[0] = s[1];
  c2[0] = c2[1];
  s4[0] = s4[1];
  l2[0] = l2[1];
  v[0] = v[1];
  vf[0] = vf[1];
  vc[0] = vc[1];
  sc[threadIdx.x & 7] = c[2];
  sf4[threadIdx.x & 7] = make_float4(1, 2, 3, 4);
  __syncthreads();
  c[3] = sc[(threadIdx.x + 1) & 7];
  c[4] = static_cast<char>(sf4[(threadIdx.x + 1) & 7].z);
}

__global__ void system(unsigned* u, unsigned long long* ul, int* i, char* p) {
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  u[0] = clock();
  ul[0] = clock64();
  __nanosleep(100);
  i[0] = __isGlobal(p) + __isShared(p) + __isLocal(p) + __isConstant(p);
  ul[1] = __cvta_generic_to_global(p) + __cvta_generic_to_shared(p);
  u[2] = warpSize + gridDim.y + blockIdx.z;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ul[2]));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(u[3]));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(u[4]));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(u[5]));
  if (i[1] == 3) __trap();
  if (i[2] == 4) __brkpt();
  int* heap = static_cast<int*>(malloc(16));
  heap[0] = alloca(16) != nullptr;
  free(heap);
  printf("%d\n", i[3]);
  __prof_trigger(1);
  i[4] = __ldg(i + 5);
}
