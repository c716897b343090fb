// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Mathematical functions, conversions and integer intrinsics. Compiled to PTX by corpus_test; never run.
#include <cstdint>

template <typename T>
__device__ void elementary(T* x) {
  x[0] = sin(x[0]);
  x[1] = cos(x[1]);
  x[2] = tan(x[2]);
  x[3] = exp(x[3]);
  x[4] = exp2(x[4]);
  x[5] = expm1(x[5]);
  x[6] = log(x[6]);
  x[7] = log2(x[7]);
  x[8] = log10(x[8]);
  x[9] = log1p(x[9]);
  x[10] = pow(x[10], x[11]);
  x[12] = sqrt(x[12]);
  x[13] = rsqrt(x[13]);
  x[14] = cbrt(x[14]);
  x[15] = hypot(x[15], x[16]);
  x[17] = tanh(x[17]);
  x[18] = sinh(x[18]);
  x[19] = atan2(x[19], x[20]);
  x[21] = asin(x[21]);
  x[22] = acosh(x[22]);
  x[23] = erf(x[23]);
  x[24] = erfc(x[24]);
  x[25] = tgamma(x[25]);
  x[26] = lgamma(x[26]);
  x[27] = fmod(x[27], x[28]);
  x[29] = floor(x[29]) + ceil(x[30]) + trunc(x[31]) + rint(x[32]) + round(x[33]);
  x[34] = fmin(x[34], x[35]) + fmax(x[36], x[37]) + fabs(x[38]) + copysign(x[39], x[40]);
  x[41] = fma(x[41], x[42], x[43]);
  x[44] = x[44] / x[45];
  x[46] = isnan(x[46]) + isinf(x[47]) + signbit(x[48]);
  x[49] = normcdf(x[49]);
  x[50] = sinpi(x[50]);
  x[51] = remainder(x[51], x[52]);
  int exponent;
  x[53] = frexp(x[53], &exponent);
  x[54] = ldexp(x[54], exponent);
  x[55] = static_cast<T>(ilogb(x[55]) + lrint(x[56]));
  x[57] = j0(x[57]);
  T s, c;
  sincos(x[58], &s, &c);
  x[59] = s + c;
}

__global__ void functions_float(float* x) { elementary(x); }
__global__ void functions_double(double* x) { elementary(x); }

__global__ void fast_float(float* x) {
  x[0] = __sinf(x[0]);
  x[1] = __cosf(x[1]);
  x[2] = __expf(x[2]);
  x[3] = __logf(x[3]);
  x[4] = __log2f(x[4]);
  x[5] = __powf(x[5], x[6]);
  x[7] = __fdividef(x[7], x[8]);
  x[9] = __frsqrt_rn(x[9]);
  x[10] = __tanf(x[10]);
  x[11] = __saturatef(x[11]);
  x[12] = __fadd_rz(x[12], x[13]) + __fmul_ru(x[14], x[15]) + __fmaf_rd(x[16], x[17], x[18]);
  x[19] = __fdiv_rz(x[19], x[20]) + __frcp_ru(x[21]) + __fsqrt_rd(x[22]);
  x[23] = __exp10f(x[23]);
}

__global__ void rounded_double(double* x) {
  x[0] = __dadd_rz(x[0], x[1]) + __dmul_ru(x[2], x[3]) + __fma_rd(x[4], x[5], x[6]);
  x[7] = __ddiv_rn(x[7], x[8]) + __drcp_rz(x[9]) + __dsqrt_ru(x[10]);
}

__global__ void conversions(float* f, double* d, int* i, unsigned* u, long long* l, unsigned long long* ul,
                            short* s, unsigned char* c) {
  i[0] = __float2int_rn(f[0]) + __float2int_rd(f[1]) + __double2int_ru(d[0]);
  u[0] = __float2uint_rz(f[2]) + __double2uint_rn(d[1]);
  l[0] = __float2ll_rn(f[3]) + __double2ll_rz(d[2]);
  ul[0] = __float2ull_ru(f[4]) + __double2ull_rn(d[3]);
  f[5] = __int2float_rz(i[1]) + __uint2float_ru(u[1]) + __ll2float_rd(l[1]) + __ull2float_rn(ul[1]);
  d[4] = __int2double_rn(i[2]) + __uint2double_rn(u[2]) + __ll2double_rz(l[2]) + __ull2double_ru(ul[2]);
  f[6] = __double2float_rz(d[5]);
  s[0] = static_cast<short>(f[7]);
  c[0] = static_cast<unsigned char>(i[3]);
  i[4] = __float_as_int(f[8]) + __double2hiint(d[6]) + __double2loint(d[7]);
  d[8] = __hiloint2double(i[5], i[6]);
  f[9] = __int_as_float(i[7]);
  l[3] = s[1] * static_cast<long long>(c[1]);
}

__global__ void integers(int* i, unsigned* u, long long* l, unsigned long long* ul) {
  i[0] = __clz(i[0]) + __popc(u[0]) + __ffs(i[1]) + __clzll(l[0]) + __popcll(ul[0]) + __ffsll(l[1]);
  u[1] = __brev(u[1]);
  ul[1] = __brevll(ul[1]);
  u[2] = __byte_perm(u[2], u[3], u[4]);
  u[5] = __funnelshift_l(u[5], u[6], u[7]) + __funnelshift_rc(u[8], u[9], u[10]);
  i[2] = __mulhi(i[2], i[3]) + __mul24(i[4], i[5]) + __hadd(i[6], i[7]) + __rhadd(i[8], i[9]);
  u[11] = __umulhi(u[11], u[12]) + __usad(u[13], u[14], u[15]) + __sad(i[10], i[11], u[16]);
  ul[2] = __umul64hi(ul[2], ul[3]) + ul[4] / ul[5] + ul[6] % ul[7];
  l[2] = __mul64hi(l[2], l[3]) + l[4] / l[5] + l[6] % l[7] + (l[8] >> i[12]) + (l[9] << i[13]);
  i[14] = i[14] / i[15] + i[16] % i[17];
  u[17] = u[17] / u[18] + u[19] % u[20];
  i[18] = min(i[18], i[19]) + max(i[20], i[21]) + abs(i[22]);
  l[10] = llmin(l[10], l[11]) + llmax(l[12], l[13]) + llabs(l[14]);
  i[23] = __dp4a(i[23], i[24], i[25]) + __dp2a_lo(i[26], i[27], i[28]);
  u[21] = __dp4a(u[21], u[22], u[23]);
  u[24] = __vadd2(u[24], u[25]) + __vadd4(u[26], u[27]) + __vmaxs2(u[28], u[29]) + __vminu4(u[30], u[31]);
  u[32] =
      __vcmpeq4(u[32], u[33]) + __vsadu4(u[34], u[35]) + __vabsdiffs2(u[36], u[37]) + __vavgu4(u[38], u[39]);
  u[40] = __viaddmax_u32(u[40], u[41], u[42]) + __vimin3_u32(u[43], u[44], u[45]);
}

__global__ void wide(unsigned __int128* x, __int128* y) {
  x[0] = x[1] * x[2] + x[3];
  x[4] = x[5] / x[6];
  y[0] = y[1] - y[2];
  y[3] = y[4] >> 5;
}
