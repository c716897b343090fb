// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// cuda_fp16.h and cuda_bf16.h: every family of functions once. Compiled to PTX by corpus_test; never run.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T, typename T2>
__device__ void arithmetic(T* x, T2* y, float* f) {
  x[0] = __hadd(x[1], x[2]);
  x[1] = __hsub(x[1], x[2]);
  x[2] = __hmul(x[1], x[2]);
  x[3] = __hdiv(x[1], x[2]);
  x[4] = __hfma(x[1], x[2], x[3]);
  x[5] = __hfma_sat(x[1], x[2], x[3]);
  x[6] = __hfma_relu(x[1], x[2], x[3]);
  x[7] = __hadd_sat(x[1], x[2]);
  x[8] = __hneg(x[1]);
  x[9] = __habs(x[1]);
  x[10] = __hmin(x[1], x[2]);
  x[11] = __hmax(x[1], x[2]);
  x[12] = __hmin_nan(x[1], x[2]);
  x[13] = __hmax_nan(x[1], x[2]);
  x[14] = __hadd_rn(x[1], x[2]);
  x[15] = __hsub_sat(x[1], x[2]);
  x[16] = __hmul_sat(x[1], x[2]);
  y[0] = __hadd2(y[1], y[2]);
  y[1] = __hsub2(y[1], y[2]);
  y[2] = __hmul2(y[1], y[2]);
  y[3] = __h2div(y[1], y[2]);
  y[4] = __hfma2(y[1], y[2], y[3]);
  y[5] = __hfma2_sat(y[1], y[2], y[3]);
  y[6] = __hfma2_relu(y[1], y[2], y[3]);
  y[7] = __hneg2(y[1]);
  y[8] = __habs2(y[1]);
  y[9] = __hmin2(y[1], y[2]);
  y[10] = __hmax2(y[1], y[2]);
  y[11] = __hmin2_nan(y[1], y[2]);
  y[12] = __hcmadd(y[1], y[2], y[3]);
  y[13] = __hmul2_rn(y[1], y[2]);
  f[0] = __hlt(x[1], x[2]) + __hequ(x[1], x[2]) + __hne(x[3], x[4]) + __hisnan(x[5]) + __hisinf(x[6]);
  f[1] = __hbge2(y[1], y[2]) + __hbneu2(y[3], y[4]);
  y[14] = __hlt2(y[1], y[2]);
  y[15] = __hgtu2(y[1], y[2]);
  f[2] = static_cast<float>(__hle2_mask(y[1], y[2]));
}

template <typename T, typename T2>
__device__ void functions(T* x, T2* y) {
  x[0] = hexp(x[0]);
  x[1] = hexp2(x[1]);
  x[2] = hlog(x[2]);
  x[3] = hlog2(x[3]);
  x[4] = hlog10(x[4]);
  x[5] = hsin(x[5]);
  x[6] = hcos(x[6]);
  x[7] = hsqrt(x[7]);
  x[8] = hrsqrt(x[8]);
  x[9] = hrcp(x[9]);
  x[10] = hfloor(x[10]);
  x[11] = hceil(x[11]);
  x[12] = htrunc(x[12]);
  x[13] = hrint(x[13]);
  x[14] = htanh(x[14]);
  x[15] = htanh_approx(x[15]);
  x[16] = hexp10(x[16]);
  y[0] = h2exp(y[0]);
  y[1] = h2log(y[1]);
  y[2] = h2sin(y[2]);
  y[3] = h2sqrt(y[3]);
  y[4] = h2rsqrt(y[4]);
  y[5] = h2floor(y[5]);
  y[6] = h2rint(y[6]);
  y[7] = h2tanh(y[7]);
  y[8] = h2tanh_approx(y[8]);
  y[9] = h2rcp(y[9]);
}

__global__ void half_conversions(__half* h, __half2* h2, float* f, double* d, int* i, unsigned* u,
                                 long long* l, unsigned long long* ul, short* s, unsigned short* us,
                                 float2* f2, signed char* c) {
  h[0] = __float2half(f[0]);
  h[1] = __float2half_rz(f[1]);
  h[2] = __float2half_rd(f[2]);
  h[3] = __float2half_ru(f[3]);
  h[4] = __double2half(d[0]);
  h[5] = __int2half_rn(i[0]);
  h[6] = __int2half_rz(i[1]);
  h[7] = __uint2half_rn(u[0]);
  h[8] = __short2half_rn(s[0]);
  h[9] = __ushort2half_rd(us[0]);
  h[10] = __ll2half_rn(l[0]);
  h[11] = __ull2half_ru(ul[0]);
  f[4] = __half2float(h[0]);
  i[2] = __half2int_rn(h[1]);
  i[3] = __half2int_rz(h[2]);
  u[1] = __half2uint_ru(h[3]);
  s[1] = __half2short_rd(h[4]);
  us[1] = __half2ushort_rz(h[5]);
  l[1] = __half2ll_rn(h[6]);
  ul[1] = __half2ull_rz(h[7]);
  c[0] = __half2char_rz(h[8]);
  h2[0] = __floats2half2_rn(f[5], f[6]);
  h2[1] = __float22half2_rn(f2[0]);
  f2[1] = __half22float2(h2[2]);
  h2[3] = __halves2half2(h[1], h[2]);
  h2[4] = __lows2half2(h2[5], h2[6]);
  h2[7] = __lowhigh2highlow(h2[8]);
  h[12] = __high2half(h2[9]);
  i[4] = __half_as_short(h[13]);
  h[14] = __ldg(h + 20);
  h2[10] = __ldcs(h2 + 11);
  __stcg(h2 + 12, h2[13]);
  h[15] = __shfl_xor_sync(~0u, h[16], 3);
  h2[14] = __shfl_down_sync(~0u, h2[15], 4);
  atomicAdd(h + 30, h[31]);
  atomicAdd(h2 + 20, h2[21]);
}

__global__ void bfloat_conversions(__nv_bfloat16* h, __nv_bfloat162* h2, float* f, double* d, int* i,
                                   unsigned* u, float2* f2) {
  h[0] = __float2bfloat16(f[0]);
  h[1] = __float2bfloat16_rz(f[1]);
  h[2] = __float2bfloat16_rd(f[2]);
  h[3] = __float2bfloat16_ru(f[3]);
  h[4] = __double2bfloat16(d[0]);
  h[5] = __int2bfloat16_rn(i[0]);
  h[6] = __uint2bfloat16_rz(u[0]);
  f[4] = __bfloat162float(h[7]);
  i[1] = __bfloat162int_rz(h[8]);
  u[1] = __bfloat162uint_rn(h[9]);
  h2[0] = __floats2bfloat162_rn(f[5], f[6]);
  f2[0] = __bfloat1622float2(h2[1]);
  h[10] = __shfl_sync(~0u, h[11], 5);
  atomicAdd(h + 12, h[13]);
  atomicAdd(h2 + 2, h2[3]);
}

__global__ void half_arithmetic(__half* x, __half2* y, float* f) { arithmetic(x, y, f); }
__global__ void bfloat_arithmetic(__nv_bfloat16* x, __nv_bfloat162* y, float* f) { arithmetic(x, y, f); }
__global__ void half_functions(__half* x, __half2* y) { functions(x, y); }
__global__ void bfloat_functions(__nv_bfloat16* x, __nv_bfloat162* y) { functions(x, y); }
