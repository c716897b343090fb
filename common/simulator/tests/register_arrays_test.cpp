// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "kernel_fixture.h"
#include "ptxas.h"

/// Arrays in local memory that machine code has in registers. ptxas is the oracle.
namespace roofline::sim::register_arrays {
namespace {

/// An array of `bytes` is filled from memory, `accesses` are done, and it is stored; %rd15 is where a number
/// that nobody knows points to, as if elements had `element` bytes.
std::string kernel(int bytes, int element, const std::string& accesses) {
  std::string fill, store;
  for (int i = 0; i < bytes; i += 16) {
    const std::string at = std::to_string(i), vector = "{%r11, %r12, %r13, %r14}";
    fill += "ld.global.v4.u32 " + vector + ", [%rd1+" + at + "]; st.local.v4.u32 [%rd14+" + at + "], " +
            vector + ";";
    store += "ld.local.v4.u32 " + vector + ", [%rd14+" + at + "]; st.global.v4.u32 [%rd2+" + at + "], " +
             vector + ";";
  }
  return ".local .align 16 .b8 depot[" + std::to_string(bytes) +
         "]; .reg .b16 %h<4>; mov.u64 %rd13, depot; add.u64 %rd14, %rd13, 0; ld.global.u32 %r10, "
         "[%rd1+128]; mov.u32 %r15, 0; mov.b16 %h1, 7; mul.wide.u32 %rd16, %r10, " +
         std::to_string(element) + "; add.s64 %rd15, %rd14, %rd16;" + fill + accesses + store +
         "st.global.u32 [%rd2+256], %r15;";
}

const std::pair<const char*, std::string> kForms[] = {
    {"known", kernel(16, 4, "st.local.u32 [%rd14+8], %r10;")},
    {"known, 64 bytes", kernel(64, 4, "st.local.u32 [%rd14+36], %r10;")},
    {"known, half", kernel(16, 2, "st.local.u16 [%rd14+6], %h1;")},
    {"known, eight bytes", kernel(32, 8, "st.local.u64 [%rd14+8], %rd16;")},
    {"unknown store", kernel(16, 4, "st.local.u32 [%rd15], %r10;")},
    {"three unknown stores",
     kernel(32, 4,
            "st.local.u32 [%rd15], %r10; st.local.u32 [%rd15+-4], %r10; st.local.u32 [%rd15+-8], %r10;")},
    {"unknown load", kernel(32, 4, "ld.local.u32 %r15, [%rd15];")},
    {"unknown, half", kernel(16, 2, "st.local.u16 [%rd15], %h1;")},
    {"unknown, eight bytes", kernel(16, 8, "st.local.u64 [%rd15], %rd16;")},
    {"three unknown stores, 64 bytes",
     kernel(64, 4,
            "st.local.u32 [%rd15], %r10; st.local.u32 [%rd15+-4], %r10; st.local.u32 [%rd15+-8], %r10;")},
};

class RegisterArrays : public KernelTest {
 protected:
  bool in_memory(const std::string& module) {
    const auto& info = device_.instructions_of(device_.load_module(module, {}).functions.at(0).id);
    return std::any_of(info.begin(), info.end(), [](const InstructionInfo& in) {
      return in.space == ptx::Space::kLocal && in.cost.pipe == Pipe::kMemory;
    });
  }
};

// Breaks when ptxas and the machine disagree about what is memory.
TEST_F(RegisterArrays, AsPtxasDoes) {
  for (const auto& [name, body] : kForms) {
    const auto theirs = machine_code_of(module_of(body));
    const bool expected = std::any_of(theirs.begin(), theirs.end(), [](const MachineInstruction& in) {
      return in.opcode() == 0x983 || in.opcode() == 0x387;  // LDL, STL
    });
    EXPECT_EQ(in_memory(module_of(body)), expected) << name;
  }
}

// Breaks when an array whose address goes elsewhere is taken for registers.
TEST_F(RegisterArrays, NotWhereAnAddressIsPassedOn) {
  EXPECT_TRUE(in_memory(module_of(kernel(16, 4, "st.global.u64 [%rd2+264], %rd14;"))));
  EXPECT_TRUE(in_memory(module_of(kernel(16, 4, "cvta.local.u64 %rd17, %rd14; st.u32 [%rd17], %r10;"))));
}

// Breaks when what is a register counts as traffic.
TEST_F(RegisterArrays, AreNoTraffic) {
  const u64 from = upload(std::vector<u32>(128, 1)), to = upload(std::vector<u32>(128));
  EXPECT_EQ(run_well(kForms[0].second, from, to, 32, 1).counters.local_requests, 0u);
  EXPECT_GT(run_well(kForms[2].second, from, to, 32, 1).counters.local_requests, 0u);
}

}  // namespace
}  // namespace roofline::sim::register_arrays
