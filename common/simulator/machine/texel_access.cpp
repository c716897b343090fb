// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/texel_access.h"

#include <bit>

#include "simulator/machine/access_pattern.h"
#include "simulator/machine/deferred_atomics.h"
#include "simulator/machine/memory.h"
#include "simulator/machine/observer.h"
#include "simulator/text.h"

namespace roofline::sim {

namespace {

void check(Warp& w, const Instruction& in, const TexelRequest& request) {
  const Memory& memory = *w.block->grid->memory;
  u64 begin = 0, end = 0;
  for (u32 n = 0; n < request.count; ++n)
    each_lane(request.masks[n], [&](u32 l) {
      const u64 address = request.addresses[n][l];
      if (address >= begin && address < end && request.width <= end - address) return;
      const Memory::Allocation* found = memory.find(address);
      const bool constant = found != nullptr && found->read_only && request.kind != AccessKind::kLoad;
      if (found == nullptr || request.width > found->end - address || constant)
        w.trap(TrapKind::kIllegalAddress, l, in,
               std::to_string(request.width) + "-byte " +
                   (request.kind == AccessKind::kLoad ? "load from " : "store to ") + hex(address) +
                   ", which a texture or surface object refers to: " + memory.explain(address, request.width),
               memory.fault_of(address, request.width));
      begin = found->begin;
      end = found->end;
    });
}

void show(Warp& w, const Instruction& in, const TexelRequest& request) {
  AddressPattern pattern;
  for (u32 n = 0; n < request.count; ++n) {
    const u32 mask = request.masks[n];
    if (mask == 0) continue;
    const u64 base = request.addresses[n][static_cast<u32>(std::countr_zero(mask))];
    pattern = {};
    each_lane(mask, [&](u32 l) { pattern.difference[l] = request.addresses[n][l] - base; });
    analyse_pattern(pattern, mask, request.width);
    w.block->observer->access(w, in,
                              {request.kind, ptx::Space::kGlobal, mask, request.width, base, &pattern});
  }
}

}  // namespace

void begin_texels(Warp& w, const Instruction& in, const TexelRequest& request) {
  if (w.block->observer != nullptr && w.block->observer->sees_accesses) show(w, in, request);
  check(w, in, request);
  if (w.block->deferred != nullptr) w.block->deferred->take_turn();
  count_texels(w, in, request);
}

}  // namespace roofline::sim
