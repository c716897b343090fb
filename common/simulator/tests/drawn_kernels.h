// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels drawn at random: what they execute, who of their warps and blocks executes it how often, shapes,
// addresses. arbitrage_test looks among them for one that the model takes for faster than its work;
// probes/drawn.cu times the same kernels on a GPU, real or simulated.
#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace roofline::sim::drawn {

using u32 = std::uint32_t;

/// One kind of instruction, and what an execution of it by a whole warp must cost beside its issue slots.
struct Kind {
  const char* name;
  const char* ptx;  ///< of a loop's body; # is a chain, 0 ... 3; !, ^, ~ are 4, 128, 512 times it
  double l1_passes = 0, wavefronts = 0;          ///< of the L1 and shared memory data path
  double read_sectors = 0, written_sectors = 0;  ///< between the SM and L2
  double registers = 0;                          ///< that wait for L2
  double same_address = 0;                       ///< lanes that meet one address
  double conflicts = 1;                          ///< passes of L1 for each 128 bytes that it hands over
  bool whole_block = false;                      ///< a barrier: every warp must execute it as often
};

/// %rd10 is the lane's address in a region of the warp's own; %rd11 the same for all; %r20 a shared address,
/// %r21 one with every lane in the same bank; %r22 changes every round.
inline const Kind kKinds[] = {
    {.name = "fma.f32", .ptx = "fma.rn.f32 %f#, %f#, %f8, %f9;"},
    {.name = "add.u32", .ptx = "add.u32 %r1#, %r1#, %r22;"},
    {.name = "mad.u32", .ptx = "mad.lo.u32 %r1#, %r1#, %r22, %r1#;"},
    {.name = "xor", .ptx = "xor.b32 %r1#, %r1#, %r22;"},
    {.name = "fma.f64", .ptx = "fma.rn.f64 %fd#, %fd#, %fd8, %fd9;"},
    {.name = "ex2", .ptx = "ex2.approx.f32 %f#, %f#;"},
    {.name = "div.f32", .ptx = "div.rn.f32 %f#, %f8, %f#;"},
    {.name = "div.u64", .ptx = "div.u64 %rd2#, %rd2#, %rd13;"},
    {.name = "fma.f16x2", .ptx = "fma.rn.f16x2 %r1#, %r1#, %r22, %r22;"},
    {.name = "cvt", .ptx = "cvt.rn.f32.u32 %f#, %r1#;"},
    {.name = "shfl", .ptx = "shfl.sync.bfly.b32 %r1#, %r22, 1, 31, -1;"},
    {.name = "vote", .ptx = "vote.sync.ballot.b32 %r1#, %p5, -1;"},
    {.name = "mma",
     .ptx = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f20,%f21,%f22,%f23}, {%r22,%r22}, {%r22}, "
            "{%f20,%f21,%f22,%f23};"},
    {.name = "ld.cg",
     .ptx = "ld.global.cg.u32 %r1#, [%rd10+~];",
     .l1_passes = 1,
     .read_sectors = 4,
     .registers = 1},
    {.name = "ld.cg.v4",
     .ptx = "ld.global.cg.v4.u32 {%r10,%r11,%r12,%r13}, [%rd12+~];",
     .l1_passes = 1,
     .read_sectors = 16,
     .registers = 4},
    {.name = "ld.ca", .ptx = "ld.global.ca.u32 %r1#, [%rd10+~];", .l1_passes = 1},
    {.name = "st", .ptx = "st.global.u32 [%rd10+~], %r22;", .l1_passes = 1, .written_sectors = 4},
    {.name = "st.v4",
     .ptx = "st.global.v4.u32 [%rd12+~], {%r22,%r22,%r22,%r22};",
     .l1_passes = 1,
     .written_sectors = 16},
    {.name = "ld strided",
     .ptx = "ld.global.cg.u32 %r1#, [%rd14];",
     .l1_passes = 8,
     .read_sectors = 32,
     .registers = 1,
     .conflicts = 8},
    {.name = "red", .ptx = "red.global.add.u32 [%rd11], %r22;", .same_address = 1},
    {.name = "red spread", .ptx = "red.global.add.u32 [%rd10], %r22;"},
    {.name = "ld.shared", .ptx = "ld.shared.u32 %r1#, [%r20+^];", .wavefronts = 1},
    {.name = "ld.shared conflicts", .ptx = "ld.shared.u32 %r1#, [%r21];", .wavefronts = 32},
    {.name = "st.shared", .ptx = "st.shared.u32 [%r20], %r22;", .wavefronts = 1},
    {.name = "ld.const", .ptx = "ld.const.u32 %r1#, [table+!];"},
    {.name = "ld.const diverging", .ptx = "ld.const.u32 %r1#, [%rd15];", .l1_passes = 32, .conflicts = 32},
    {.name = "local", .ptx = "st.local.u32 [slots+!], %r22; ld.local.u32 %r1#, [slots+!];"},
    {.name = "cp.async",
     .ptx = "cp.async.cg.shared.global [%r23], [%rd12], 16; cp.async.wait_all;",
     .read_sectors = 16},
    {.name = "bar", .ptx = "bar.sync 0;", .whole_block = true},
    // Integers.
    {.name = "sub", .ptx = "sub.s32 %r1#, %r1#, %r22;"},
    {.name = "min", .ptx = "min.s32 %r1#, %r1#, %r22;"},
    {.name = "max.u", .ptx = "max.u32 %r1#, %r1#, %r22;"},
    {.name = "and", .ptx = "and.b32 %r1#, %r1#, %r22;"},
    {.name = "shl", .ptx = "shl.b32 %r1#, %r1#, %r22;"},
    {.name = "shr", .ptx = "shr.s32 %r1#, %r1#, %r22;"},
    {.name = "shf", .ptx = "shf.l.wrap.b32 %r1#, %r1#, %r22, %r1;"},
    {.name = "lop3", .ptx = "lop3.b32 %r1#, %r1#, %r22, %r1, 0x96;"},
    {.name = "prmt", .ptx = "prmt.b32 %r1#, %r1#, %r22, 0x3210;"},
    {.name = "selp", .ptx = "selp.b32 %r1#, %r1#, %r22, %p5;"},
    {.name = "bfe", .ptx = "bfe.u32 %r1#, %r1#, 3, 9;"},
    {.name = "bfi", .ptx = "bfi.b32 %r1#, %r1#, %r22, 3, 9;"},
    {.name = "popc", .ptx = "popc.b32 %r1#, %r1#;"},
    {.name = "clz", .ptx = "clz.b32 %r1#, %r1#;"},
    {.name = "brev", .ptx = "brev.b32 %r1#, %r1#;"},
    {.name = "mul.hi", .ptx = "mul.hi.u32 %r1#, %r1#, %r22;"},
    {.name = "mul.wide", .ptx = "mul.wide.u32 %rd2#, %r1#, %r22;"},
    {.name = "dp4a", .ptx = "dp4a.u32.u32 %r1#, %r1#, %r22, %r1#;"},
    {.name = "add.u64", .ptx = "add.u64 %rd2#, %rd2#, %rd13;"},
    {.name = "mul.u64", .ptx = "mul.lo.u64 %rd2#, %rd2#, %rd13;"},
    {.name = "div.u32", .ptx = "div.u32 %r1#, %r1#, %r22;"},
    {.name = "rem.u32", .ptx = "rem.u32 %r1#, %r1#, %r22;"},
    // Floating point.
    {.name = "add.f32", .ptx = "add.f32 %f#, %f#, %f8;"},
    {.name = "mul.f32", .ptx = "mul.f32 %f#, %f#, %f8;"},
    {.name = "min.f32", .ptx = "min.f32 %f#, %f#, %f8;"},
    {.name = "sqrt.rn", .ptx = "sqrt.rn.f32 %f#, %f#;"},
    {.name = "rcp.rn", .ptx = "rcp.rn.f32 %f#, %f#;"},
    {.name = "rcp", .ptx = "rcp.approx.f32 %f#, %f#;"},
    {.name = "rsqrt", .ptx = "rsqrt.approx.f32 %f#, %f#;"},
    {.name = "sin", .ptx = "sin.approx.f32 %f#, %f#;"},
    {.name = "lg2", .ptx = "lg2.approx.f32 %f#, %f#;"},
    {.name = "tanh", .ptx = "tanh.approx.f32 %f#, %f#;"},
    {.name = "add.f64", .ptx = "add.f64 %fd#, %fd#, %fd8;"},
    {.name = "div.f64", .ptx = "div.rn.f64 %fd#, %fd#, %fd8;"},
    {.name = "cvt.f64", .ptx = "cvt.f64.f32 %fd#, %f#;"},
    {.name = "cvt.rzi", .ptx = "cvt.rzi.s32.f32 %r1#, %f#;"},
    {.name = "add.f16x2", .ptx = "add.f16x2 %r1#, %r1#, %r22;"},
    {.name = "fma.bf16x2", .ptx = "fma.rn.bf16x2 %r1#, %r1#, %r22, %r22;"},
    // Warps.
    {.name = "shfl.idx", .ptx = "shfl.sync.idx.b32 %r1#, %r22, %r4, 31, -1;"},
    {.name = "match", .ptx = "match.any.sync.b32 %r1#, %r22, -1;"},
    {.name = "redux", .ptx = "redux.sync.add.u32 %r1#, %r22, -1;"},
    {.name = "warp barrier", .ptx = "bar.warp.sync -1;"},
    // Tensor Cores: types of different rates in one kernel.
    {.name = "mma f16 k16",
     .ptx = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f20,%f21,%f22,%f23}, {%r22,%r22,%r22,%r22}, "
            "{%r22,%r22}, {%f20,%f21,%f22,%f23};"},
    {.name = "mma bf16",
     .ptx =
         "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f20,%f21,%f22,%f23}, {%r22,%r22,%r22,%r22}, "
         "{%r22,%r22}, {%f20,%f21,%f22,%f23};"},
    {.name = "mma tf32",
     .ptx =
         "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f20,%f21,%f22,%f23}, {%r22,%r22,%r22,%r22}, "
         "{%r22,%r22}, {%f20,%f21,%f22,%f23};"},
    {.name = "mma s8",
     .ptx = "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r10,%r11,%r12,%r13}, {%r22,%r22,%r22,%r22}, "
            "{%r22,%r22}, {%r10,%r11,%r12,%r13};"},
    {.name = "mma b1",
     .ptx = "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r10,%r11,%r12,%r13}, "
            "{%r22,%r22,%r22,%r22}, {%r22,%r22}, {%r10,%r11,%r12,%r13};"},
    {.name = "mma f64",
     .ptx = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0,%fd1}, {%fd8}, {%fd9}, {%fd0,%fd1};"},
    // Memory.
    {.name = "ld.nc", .ptx = "ld.global.nc.u32 %r1#, [%rd10+~];", .l1_passes = 1},
    {.name = "ld.ca.v2", .ptx = "ld.global.ca.v2.u32 {%r10,%r11}, [%rd17];", .l1_passes = 2},
    {.name = "ld.ca.v4", .ptx = "ld.global.ca.v4.u32 {%r10,%r11,%r12,%r13}, [%rd12+~];", .l1_passes = 4},
    {.name = "st.v2", .ptx = "st.global.v2.u32 [%rd17], {%r22,%r22};", .l1_passes = 1, .written_sectors = 8},
    {.name = "st strided", .ptx = "st.global.u32 [%rd14], %r22;", .written_sectors = 32},
    {.name = "atom", .ptx = "atom.global.add.u32 %r1#, [%rd11], %r22;", .same_address = 1},
    {.name = "atom.cas", .ptx = "atom.global.cas.b32 %r1#, [%rd10], %r22, %r1;"},
    {.name = "ld.shared.v4", .ptx = "ld.shared.v4.u32 {%r10,%r11,%r12,%r13}, [%r23];", .wavefronts = 4},
    {.name = "st.shared.v4", .ptx = "st.shared.v4.u32 [%r23], {%r22,%r22,%r22,%r22};", .wavefronts = 4},
    {.name = "atom.shared", .ptx = "atom.shared.add.u32 %r1#, [%r20], %r22;", .wavefronts = 1},
    {.name = "ldmatrix",
     .ptx = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10,%r11,%r12,%r13}, [%r23];",
     .wavefronts = 4},
    {.name = "parameters diverging", .ptx = "ld.param.u32 %r1#, [%rd16];", .l1_passes = 32, .conflicts = 32},
    {.name = "cp.async in part",
     .ptx = "cp.async.cg.shared.global [%r23], [%rd12], 16, %r25; cp.async.wait_all;",
     .read_sectors = 16},
    {.name = "cp.async 4 bytes in part",
     .ptx = "cp.async.ca.shared.global [%r20], [%rd10], 4, 3; cp.async.wait_all;"},
    {.name = "fence", .ptx = "membar.gl;"},
};

struct Draw {
  u32 threads = 32, blocks = 1;
  std::vector<std::pair<const Kind*, u32>> body;  ///< and which chain
  u32 rounds = 1, more_rounds = 0;                ///< of everybody, and of the chosen beside that
  u32 every = 1, first = 0;                       ///< blocks first, first + every ... are chosen
  bool one_warp = false;                          ///< of the chosen blocks: only warp `warp`
  u32 warp = 0;
  u32 cluster = 0;

  u32 warps() const { return threads / 32; }
  bool chosen(u32 block, u32 w) const { return block % every == first && (!one_warp || w == warp); }
  std::string text() const {
    std::string text = std::to_string(blocks) + " blocks of " + std::to_string(threads) + ", " +
                       std::to_string(rounds) + " rounds and " + std::to_string(more_rounds) +
                       " more in blocks " + std::to_string(first) + " mod " + std::to_string(every) +
                       (one_warp ? ", warp " + std::to_string(warp) : "") +
                       (cluster != 0 ? ", clusters of " + std::to_string(cluster) : "") + ":";
    for (const auto& [kind, chain] : body) text += std::string(" ") + kind->name;
    return text;
  }
};

/// A kernel of about `most` warp instructions.
inline Draw draw(std::mt19937_64& random, u32 most) {
  const auto below = [&](u32 n) { return static_cast<u32>(random() % n); };
  Draw d;
  const u32 shapes[] = {32, 64, 128, 256, 512, 1024};
  d.threads = shapes[below(6)];
  const u32 grids[] = {1, 2, 5, 27, 107, 108, 109, 216, 217, 400};
  d.blocks = grids[below(10)];
  const u32 count = 1 + below(6);
  for (u32 i = 0; i < count; ++i) d.body.push_back({&kKinds[below(std::size(kKinds))], below(4)});
  const bool barrier =
      std::any_of(d.body.begin(), d.body.end(), [](const auto& b) { return b.first->whole_block; });
  d.rounds = below(4);
  d.every = std::min(d.blocks, 1 + below(below(2) == 0 ? 4 : 400));
  d.first = below(d.every);
  d.one_warp = !barrier && below(2) == 0;
  d.warp = below(d.warps());
  const u32 chosen_warps = ((d.blocks - d.first - 1) / d.every + 1) * (d.one_warp ? 1 : d.warps());
  d.more_rounds = std::max<u32>(1, below(std::max<u32>(2, most / (chosen_warps * count))));
  if (d.blocks % 4 == 0 && below(8) == 0) d.cluster = 4;
  return d;
}

/// A character of Kind::ptx: some stand for numbers that differ from chain to chain.
inline std::string piece(char c, u32 chain) {
  switch (c) {
    case '#':
      return std::to_string(chain);
    case '!':
      return std::to_string(4 * chain);
    case '^':
      return std::to_string(128 * chain);
    case '~':
      return std::to_string(512 * chain);
    default:
      return std::string(1, c);
  }
}

/// Kernel "k" of addresses of 33 MiB and of 256 bytes, and of 128 bytes that are zero.
inline std::string ptx_of(const Draw& d) {
  std::string body =
      "mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r1, 5; and.b32 %r4, %r1, 31;"
      // A region of 4 KiB for every warp, of 64 MiB in all.
      "mov.u32 %r5, %ntid.x; shr.u32 %r5, %r5, 5; mad.lo.u32 %r6, %r2, %r5, %r3; and.b32 %r6, %r6, 8191;"
      "mul.wide.u32 %rd3, %r6, 4096; add.s64 %rd3, %rd1, %rd3; mul.wide.u32 %rd4, %r4, 4; add.s64 %rd10, "
      "%rd3, %rd4;"
      "mul.wide.u32 %rd5, %r4, 16; add.s64 %rd12, %rd3, %rd5; mul.wide.u32 %rd6, %r4, 128; add.s64 %rd14, "
      "%rd3, %rd6;"
      "mov.u64 %rd11, %rd2; mov.u64 %rd13, 7; mov.u64 %rd7, table; add.s64 %rd15, %rd7, %rd4;"
      "shl.b32 %r20, %r4, 2; shl.b32 %r21, %r4, 7; shl.b32 %r23, %r1, 4; mov.u32 %r24, space; add.u32 "
      "%r20, %r20, %r24;"
      "add.u32 %r21, %r21, %r24; add.u32 %r23, %r23, %r24;"
      "mov.u32 %r25, 8; mov.b64 %rd16, p2; add.s64 %rd16, %rd16, %rd4; shl.b64 %rd17, %rd4, 1; add.s64 "
      "%rd17, %rd3, "
      "%rd17;"
      "mov.u32 %r10, %r1; mov.u32 %r11, %r1; mov.u32 %r12, %r2; mov.u32 %r13, %r2; mov.u64 %rd20, 5; "
      "mov.u64 %rd21, 6;"
      "mov.u64 %rd22, 7; mov.u64 %rd23, 8; setp.eq.u32 %p5, %r1, 3; mov.u32 %r22, 0;"
      // Numbers near 1 that a compiler does not know.
      "cvt.rn.f32.u32 %f9, %r1; fma.rn.f32 %f8, %f9, 0f358637BD, 0f3F800000; mov.f32 %f9, %f8;"
      "mov.f32 %f0, %f8; mov.f32 %f1, %f8; mov.f32 %f2, %f8; mov.f32 %f3, %f8;"
      "mov.f32 %f20, %f8; mov.f32 %f21, %f8; mov.f32 %f22, %f8; mov.f32 %f23, %f8;"
      "cvt.f64.f32 %fd8, %f8; mov.f64 %fd9, %fd8;"
      "mov.f64 %fd0, %fd8; mov.f64 %fd1, %fd8; mov.f64 %fd2, %fd8; mov.f64 %fd3, %fd8;"
      "ld.param.u32 %r7, [p2]; add.u32 %r7, %r7, " +
      std::to_string(d.rounds) + "; rem.u32 %r8, %r2, " + std::to_string(d.every) +
      "; setp.ne.u32 %p1, %r8, " + std::to_string(d.first) + ";";
  if (d.one_warp) body += "setp.ne.u32 %p2, %r3, " + std::to_string(d.warp) + "; or.pred %p1, %p1, %p2;";
  body += "@!%p1 add.u32 %r7, %r7, " + std::to_string(d.more_rounds) +
          "; setp.eq.u32 %p3, %r7, 0; @%p3 ret;\nL: add.u32 %r22, %r22, 1;\n";
  for (const auto& [kind, chain] : d.body)
    for (std::string text = std::string(kind->ptx) + "\n"; const char c : text) body += piece(c, chain);
  // Nothing of it is thrown away: what a body computes is stored, each where nothing else is.
  body +=
      "setp.lt.u32 %p4, %r22, %r7; @%p4 bra L;\n"
      "xor.b32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12; xor.b32 %r10, %r10, %r13; st.global.u32 "
      "[%rd10+2048], %r10;"
      "add.f32 %f0, %f0, %f1; add.f32 %f2, %f2, %f3; add.f32 %f0, %f0, %f2; add.f32 %f0, %f0, %f20; "
      "st.global.f32 [%rd10+2304], %f0;"
      "add.f64 %fd0, %fd0, %fd1; add.f64 %fd2, %fd2, %fd3; add.f64 %fd0, %fd0, %fd2; st.global.f64 "
      "[%rd17+2560], %fd0;"
      "add.s64 %rd20, %rd20, %rd21; add.s64 %rd22, %rd22, %rd23; add.s64 %rd20, %rd20, %rd22; "
      "st.global.u64 [%rd17+3072], %rd20;";
  return ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 16 .b8 table[1024];\n"
         ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .align 8 .b8 p2[128])\n{\n.shared "
         ".align 16 .b8 space[17408];\n"
         ".local .align 16 .b8 slots[64];\n"
         ".reg .pred %p<8>;\n.reg .b32 %r<32>;\n.reg .f32 %f<32>;\n.reg .b64 %rd<32>;\n.reg .f64 %fd<16>;\n"
         "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r1, %tid.x;\n" +
         body + "\nret;\n}\n";
}

}  // namespace roofline::sim::drawn
