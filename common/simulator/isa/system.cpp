// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/system.h"

#include <bit>
#include <cstring>

#include "simulator/isa/builtin_call.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/cost.h"
#include "simulator/isa/device_calls.h"
#include "simulator/isa/print_format.h"
#include "simulator/machine/access.h"
#include "simulator/machine/conditions.h"
#include "simulator/machine/memory.h"
#include "simulator/program/function.h"

/// "Miscellaneous Instructions" that have no effect here, and the functions that device code calls without
/// bringing them: printf, assert, malloc, free, cudaGraphSetConditional.
namespace roofline::sim::isa {

namespace {

constexpr std::size_t kOutputLimit = std::size_t{1}
                                     << 20;  ///< bytes a block may print; the device has a limit too

void write_output(Block& block, const std::string& text) {
  if (block.output.size() < kOutputLimit) block.output += text.substr(0, kOutputLimit - block.output.size());
}

/// int vprintf(const char* format, void* arguments)
void print(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  each_active(w, [&](u32 lane) {
    const u64 format = argument(w, site, 0, lane), buffer = argument(w, site, 1, lane);
    if (format == 0) return give_result(w, site, lane, ~u64{0});
    PrintArguments arguments([&](u64 at, u32 bytes) {
      u64 value = 0;
      std::memcpy(&value, lane_pointer(w, in, lane, buffer + at, bytes, AccessKind::kLoad), bytes);
      return value;
    });
    write_output(*w.block, print_format(text_at(w, in, lane, format), arguments,
                                        [&](u64 address) { return text_at(w, in, lane, address); }));
    give_result(w, site, lane, static_cast<u64>(arguments.taken()));
  });
}

std::string triple(const Dim3& at) {
  std::string text = "[";
  text += std::to_string(at.x);
  for (const u32 n : {at.y, at.z}) text.append(",").append(std::to_string(n));
  return text + "]";
}

Dim3 thread_of(const Warp& w, u32 lane) {
  const Dim3& shape = w.block->grid->block;
  const u32 linear = w.index * static_cast<u32>(kWarpSize) + lane;
  return {linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y};
}

/// void __assertfail(const char* message, const char* file, unsigned line, const char* function, size_t size)
void assert_fail(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  std::string failed;
  each_active(w, [&](u32 lane) {
    const auto text = [&](std::size_t i) { return text_at(w, in, lane, argument(w, site, i, lane)); };
    const std::string assertion = "Assertion `" + text(0) + "` failed.";
    write_output(*w.block, text(1) + ":" + std::to_string(static_cast<u32>(argument(w, site, 2, lane))) +
                               ": " + text(3) + ": block: " + triple(w.block->id) +
                               ", thread: " + triple(thread_of(w, lane)) + " " + assertion + "\n");
    if (failed.empty()) failed = assertion;
  });
  w.trap(TrapKind::kAssert, static_cast<u32>(std::countr_zero(w.mask)), in, failed);
}

/// void* malloc(size_t bytes); null when the heap is full.
void allocate(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  each_active(w, [&](u32 lane) {
    const u64 bytes = argument(w, site, 0, lane);
    give_result(w, site, lane, bytes == 0 ? 0 : w.block->allocate_on_heap(bytes, "malloc in a kernel"));
  });
}

/// void free(void* pointer)
void release(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  each_active(w, [&](u32 lane) {
    const u64 address = argument(w, site, 0, lane);
    if (address == 0 || w.block->release_on_heap(address)) return;
    w.trap(TrapKind::kIllegalAddress, lane, in,
           "free() of something that malloc() did not return, or of a block freed before: " +
               w.block->grid->memory->explain(address, 1),
           AddressFault::kFreed);
  });
}

/// void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value)
void set_condition(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  each_active(w, [&](u32 lane) {
    const u64 handle = argument(w, site, 0, lane);
    if (!w.block->grid->conditions->set(handle, static_cast<u32>(argument(w, site, 1, lane))))
      w.trap(TrapKind::kTrap, lane, in,
             "cudaGraphSetConditional() of a handle that is none of this GPU's, or whose graph is no more");
  });
}

void nothing(Warp&, const Instruction&) {}

void bind_nothing(const Row&, const Match&, Binder&, Instruction& in) { in.execute = nothing; }

Row quiet(std::string_view syntax) {
  return {
      .syntax = syntax, .types = {}, .types2 = {}, .bind = bind_nothing, .cost = fixed_cost<Pipe::kControl>};
}

}  // namespace

Execute builtin(std::string_view name) {
  if (name == "vprintf") return print;
  if (name == "__assertfail") return assert_fail;
  if (name == "malloc") return allocate;
  if (name == "free") return release;
  if (name == "cudaGraphSetConditional") return set_condition;
  return device_call(name);
}

bool builtin_needs_order(std::string_view name) {
  return is_device_call(name) || name == "malloc" || name == "free" || name == "cudaGraphSetConditional";
}

std::vector<Row> system_rows() {
  return {
      quiet("pmevent{.mask} a"),
      quiet("setmaxnreg.{inc,dec}.sync.aligned.u32 n").with({.gathers = Gathers::kWholeWarp}),
      quiet("griddepcontrol.{launch_dependents,wait}"),
  };
}

}  // namespace roofline::sim::isa
