// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Instructions: cycles from one to the next that needs its result, and how many warps an SM serves a cycle;
// roofline.
#include <cuda_fp16.h>

#include "probe.h"

using namespace probe;

/// OP(x): one step of a chain, x = f(x). `kChains` independent chains a thread.
template <typename Op, int kChains>
__global__ void steps(int rounds, typename Op::Type seed, typename Op::Type* out, long long* cycles) {
  using T = typename Op::Type;
  T x[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) x[c] = seed + T(int(threadIdx.x + c));
  __syncthreads();
  const long long begin = clock64();
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 16; ++k)
#pragma unroll
      for (int c = 0; c < kChains; ++c) x[c] = Op::step(x[c], seed);
  // The first warp's own time: a block's barrier would not hold the clock's reading back.
  if (threadIdx.x == 0 && blockIdx.x == 0) *cycles = clock64() - begin;
  T sum = x[0];
#pragma unroll
  for (int c = 1; c < kChains; ++c) sum = sum + x[c];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define STEP(name, type, expression)                                                   \
  struct name {                                                                        \
    static constexpr const char* kName = #name;                                        \
    using Type = type;                                                                 \
    static __device__ __forceinline__ type step(type x, type y) { return expression; } \
  };
#define ASM(name, type, letter, text)                             \
  struct name {                                                   \
    static constexpr const char* kName = #name;                   \
    using Type = type;                                            \
    static __device__ __forceinline__ type step(type x, type y) { \
      asm volatile(text : "+" letter(x) : letter(y));             \
      return x;                                                   \
    }                                                             \
  };
ASM(AddF32, float, "f", "add.f32 %0, %0, %1;")
ASM(MulF32, float, "f", "mul.f32 %0, %0, %1;")
ASM(FmaF32, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
ASM(FmaF32Three, float, "f", "{ .reg .f32 t; mov.f32 t, %0; fma.rn.f32 %0, %0, %1, t; }")
ASM(MinF32, float, "f", "min.f32 %0, %0, %1;")
ASM(AddXorS32, int, "r", "{ add.s32 %0, %0, %1; xor.b32 %0, %0, %1; }")
ASM(MulS32, int, "r", "mul.lo.s32 %0, %0, %1;")
ASM(MadS32, int, "r", "mad.lo.s32 %0, %0, %1, %1;")
ASM(Lop3, int, "r", "lop3.b32 %0, %0, %1, %0, 0x1e;")
ASM(ShlB32, int, "r", "{ shl.b32 %0, %0, 1; xor.b32 %0, %0, %1; }")
ASM(ShfB32, int, "r", "shf.l.wrap.b32 %0, %0, %1, 7;")
ASM(PrmtB32, int, "r", "prmt.b32 %0, %0, %1, 0x2103;")
ASM(MinXorS32, int, "r", "{ min.s32 %0, %0, %1; xor.b32 %0, %0, %1; }")
ASM(PopcB32, int, "r", "{ popc.b32 %0, %0; xor.b32 %0, %0, %1; }")
ASM(ClzB32, int, "r", "{ clz.b32 %0, %0; xor.b32 %0, %0, %1; }")
ASM(BrevB32, int, "r", "{ brev.b32 %0, %0; xor.b32 %0, %0, %1; }")
ASM(Dp4a, int, "r", "dp4a.s32.s32 %0, %0, %1, %1;")
ASM(AddS64, long long, "l", "add.s64 %0, %0, %1;")
ASM(MadWide, long long, "l", "{ .reg .s32 a, b; mov.b64 {a, b}, %0; mad.wide.s32 %0, a, b, %1; }")
ASM(MulS64, long long, "l", "mul.lo.s64 %0, %0, %1;")
ASM(AddF64, double, "d", "add.f64 %0, %0, %1;")
ASM(FmaF64, double, "d", "fma.rn.f64 %0, %0, %1, %1;")
ASM(Ex2, float, "f", "{ ex2.approx.ftz.f32 %0, %0; }")
ASM(Lg2, float, "f", "{ lg2.approx.ftz.f32 %0, %0; }")
ASM(Rsqrt, float, "f", "{ rsqrt.approx.ftz.f32 %0, %0; }")
ASM(RcpAdd, float, "f", "{ rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1; }")
ASM(Sin, float, "f", "{ sin.approx.ftz.f32 %0, %0; }")
ASM(Tanh, float, "f", "{ tanh.approx.f32 %0, %0; }")
ASM(FtoI, float, "f", "{ .reg .s32 t; cvt.rni.s32.f32 t, %0; cvt.rn.f32.s32 %0, t; }")
ASM(FtoD, float, "f", "{ .reg .f64 t; cvt.f64.f32 t, %0; cvt.rn.f32.f64 %0, t; }")
ASM(Shfl, int, "r", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;")
ASM(Ballot, int, "r", "{ .reg .pred p; setp.ne.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff; }")
ASM(Redux, int, "r", "redux.sync.add.s32 %0, %0, 0xffffffff;")
ASM(SelpSetp, int, "r",
    "{ .reg .pred p; setp.lt.s32 p, %0, %1; selp.b32 %0, %1, %0, p; xor.b32 %0, %0, %1; }")
struct FmaF16x2 {
  static constexpr const char* kName = "FmaF16x2";
  using Type = unsigned;
  static __device__ __forceinline__ unsigned step(unsigned x, unsigned y) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
    return x;
  }
};
STEP(Sqrtf, float, sqrtf(x))
STEP(Divide, float, y / x)
STEP(Expf, float, expf(x))
STEP(Sinf, float, sinf(x))
STEP(Erff, float, erff(x))
STEP(Tanhf, float, tanhf(x))
STEP(DivideS32, int, y / (x | 1))
STEP(DivideF64, double, y / x)

template <typename Op>
void instruction() {
  using T = typename Op::Type;
  const int sms = device().multiProcessorCount, rounds = 64;
  const Array<T> out(size_t(sms) * 1024);
  const Array<long long> cycles(1);
  for (int i = 0; i < 2; ++i) steps<Op, 1><<<1, 32>>>(rounds, T(3), out, cycles);
  OK(cudaDeviceSynchronize());
  report("dependent" + key("op", Op::kName), double(cycles.values()[0]) / (rounds * 16), "cycles");
  const double round =
      cycles_a_round([&](int many) { steps<Op, 4><<<sms, 1024>>>(many, T(3), out, cycles); }, rounds / 4);
  report("rate" + key("op", Op::kName), 32.0 * 16 * 4 / round, "warps/cycle");
}

template <typename... Ops>
void instructions() {
  (instruction<Ops>(), ...);
}

__global__ void barriers(int rounds, int* out, long long* cycles) {
  __syncthreads();
  const long long begin = clock64();
  for (int i = 0; i < rounds; ++i) __syncthreads();
  const long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

/// Four floats read, `fmas` on each, four floats written; `its` times as many threads as an SM holds.
template <int kFmas>
__global__ void roofline(float4* to, const float4* from, float a) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  float4 x = from[i];
#pragma unroll 64
  for (int k = 0; k < kFmas; ++k) {
    x.x = x.x * a + x.x;
    x.y = x.y * a + x.y;
    x.z = x.z * a + x.z;
    x.w = x.w * a + x.w;
  }
  to[i] = x;
}

template <int kFmas>
void roofline_point(const Array<float4>& to, const Array<float4>& from) {
  const unsigned blocks = unsigned(to.count() / 256);
  const double time = seconds([&] { roofline<kFmas><<<blocks, 256>>>(to, from, 1e-9f); });
  report("roofline" + key("FLOP-a-byte", 8.0 * kFmas / 32), double(to.count()) * 8 * kFmas / time * 1e-12,
         "TFLOP/s");
}

/// Numbers around one: zeros would spare power.
__global__ void fill(float4* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto number = [&](unsigned salt) {
    return 0.5f + float((i * 2654435761U ^ salt * 40503U) >> 8) * 0x1p-24f;
  };
  to[i] = make_float4(number(1), number(2), number(3), number(4));
}

__global__ void clocks(unsigned long long* out) {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  const long long begin = clock64();
  float x = threadIdx.x;
  for (int i = 0; i < (1 << 16); ++i) x = x * 1.0001f + 1.0f;
  const long long end = clock64();
  unsigned long long after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  if (blockIdx.x == 0 && threadIdx.x == 0) out[0] = end - begin, out[1] = after - ns;
  if (x == 1.5f) out[2] = 1;
}

int main() {
  const int sms = device().multiProcessorCount;
  {
    const Array<unsigned long long> out(3);
    clocks<<<sms, 32>>>(out);
    clocks<<<sms, 32>>>(out);
    OK(cudaDeviceSynchronize());
    const auto values = out.values();
    report("clock", 1e3 * double(values[0]) / double(values[1]), "MHz");
  }
  instructions<AddF32, MulF32, FmaF32, FmaF32Three, MinF32, AddXorS32, MulS32, MadS32, Lop3, ShlB32, ShfB32,
               PrmtB32, MinXorS32, PopcB32, ClzB32, BrevB32, Dp4a, AddS64, MadWide, MulS64, AddF64, FmaF64,
               Ex2, Lg2, Rsqrt, RcpAdd, Sin, Tanh, FtoI, FtoD, Shfl, Ballot, Redux, SelpSetp, FmaF16x2, Sqrtf,
               Divide, Expf, Sinf, Erff, Tanhf, DivideS32, DivideF64>();
  {
    const Array<int> out(1);
    const Array<long long> cycles(sms);
    for (const int threads : {32, 64, 128, 256, 512, 1024}) {
      for (int i = 0; i < 2; ++i) barriers<<<sms, threads>>>(1024, out, cycles);
      OK(cudaDeviceSynchronize());
      report("barrier" + key("threads", threads), double(cycles.values()[0]) / 1024, "cycles");
    }
  }
  const Array<float4> to(size_t{1} << 23), from(size_t{1} << 23);
  fill<<<unsigned(from.count() / 256), 256>>>(from);
  roofline_point<1>(to, from);
  roofline_point<4>(to, from);
  roofline_point<8>(to, from);
  roofline_point<16>(to, from);
  roofline_point<24>(to, from);
  roofline_point<32>(to, from);
  roofline_point<48>(to, from);
  roofline_point<64>(to, from);
  roofline_point<96>(to, from);
  roofline_point<128>(to, from);
  roofline_point<256>(to, from);
  roofline_point<512>(to, from);
}
