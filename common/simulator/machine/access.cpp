// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/access.h"

#include <bit>

#include "simulator/machine/access_pattern.h"
#include "simulator/machine/cluster.h"
#include "simulator/machine/deferred_atomics.h"
#include "simulator/machine/lanes_apart.h"
#include "simulator/machine/memory.h"
#include "simulator/machine/observer.h"
#include "simulator/program/address_windows.h"
#include "simulator/text.h"

namespace roofline::sim {

namespace {

using ptx::Space;

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "load from";
    case AccessKind::kStore:
      return "store to";
    default:
      return "atomic operation on";
  }
}

/// "4-byte store to shared address 0x1000".
std::string access_text(AccessKind kind, const char* space, u64 address, u64 width) {
  return std::to_string(width) + "-byte " + verb(kind) + " " + space + hex(address);
}

/// Why an access to a small space (shared, local, parameters) is out of bounds.
std::string bounds_text(s64 offset, u64 width, u64 size, const std::string& what) {
  const std::string of = "the " + count_of(size, "byte") + " of " + what;
  if (offset < 0) return count_of(static_cast<u64>(-offset), "byte") + " before " + of;
  const u64 begin = static_cast<u64>(offset);
  if (begin == size) return "just past " + of;
  if (begin > size) return count_of(begin - size, "byte") + " past " + of;
  return "the last " + count_of(begin + width - size, "byte") + " past " + of;
}

/// One checked request on its way from addresses to pointers.
class Resolver {
 public:
  Resolver(Warp& w, const Instruction& in, const Request& request)
      : w_(w), in_(in), request_(request), entry_(w.block->access->entry(in, request.part)) {}

  template <class Address>
  Access resolve(const Address* addresses, s64 immediate) {
    const auto first = static_cast<u32>(std::countr_zero(request_.mask));
    const auto origin = addresses[first];
    // A 32-bit address register wraps at 32 bits.
    const u64 base = static_cast<Address>(origin + static_cast<Address>(immediate));
    const bool observed = w_.block->observer != nullptr && w_.block->observer->sees_accesses;
    AddressPattern& p = entry_.pattern;
    if (observed) p.mask = p.known_mask;
    if (!same(addresses, origin)) measure(addresses, origin);
    if (!observed) return dispatch(request_.space, base);
    tell(base);
    const Access access = dispatch(request_.space, base);
    p.mask = 0;  // so that the next request comes here, too
    return access;
  }

 private:
  template <class Address>
  static u64 difference(Address address, Address origin) {
    if constexpr (sizeof(Address) == 4)
      return static_cast<u64>(s64{static_cast<s32>(address - origin)});
    else
      return address - origin;
  }

  /// Whether the addresses lie as the entry's pattern says.
  template <class Address>
  bool same(const Address* addresses, Address origin) const {
    const AddressPattern& p = entry_.pattern;
    if (p.mask != request_.mask || p.width != request_.width || p.narrow != (sizeof(Address) == 4))
      return false;
    const Address* known;
    if constexpr (sizeof(Address) == 4)
      known = p.narrow_difference.data();
    else
      known = p.difference.data();
    if (p.mask == ~0u) return lanes_apart(addresses, origin, known);
    Address different = 0;
    for (u32 l = 0; l < kWarpSize; ++l)
      different |= ((addresses[l] - origin) ^ known[l]) & (Address{0} - (p.mask >> l & 1u));
    return different == 0;
  }

  template <class Address>
  void measure(const Address* addresses, Address origin) {
    AddressPattern& p = entry_.pattern;
    p.narrow = sizeof(Address) == 4;
    for (u32 l = 0; l < kWarpSize; ++l) {
      p.difference[l] = difference(addresses[l], origin) & (u64{0} - (request_.mask >> l & 1u));
      p.narrow_difference[l] = static_cast<u32>(p.difference[l]);
    }
    analyse_pattern(p, request_.mask, request_.width);
    p.known_mask = p.mask;
  }

  void tell(u64 base) {
    const AddressPattern& p = entry_.pattern;
    Space space = request_.space;
    if (space == Space::kGeneric) {
      space = space_of(base + static_cast<u64>(p.lowest));
      if (space_of(base + static_cast<u64>(p.highest)) != space) return;  // its parts come here
      base -= window_base(space);
    }
    w_.block->observer->access(w_, in_, {request_.kind, space, request_.mask, request_.width, base, &p});
  }

  Access dispatch(Space space, u64 base) {
    switch (space) {
      case Space::kShared:
        return shared(base);
      case Space::kLocal:
        return local(base, true);
      case Space::kReg:
        return local(base, false);
      case Space::kParam:
        return parameter(base);
      case Space::kGeneric:
        return generic(base);
      default:
        return global(base, space == Space::kConst);
    }
  }

  Access along_pattern(u64 base) const {
    const AddressPattern& p = entry_.pattern;
    return {base, p.difference.data(), p.kind, p.unit_octets};
  }

  Access global(u64 base, bool constant) {
    if (DeferredAtomics* const deferred = w_.block->deferred; deferred != nullptr) meet(*deferred, base);
    if (!inside_one_allocation(base)) return scattered(base, constant);
    check_alignment(base, "");
    if (constant && !entry_.constant) not_constant(base, first_lane());
    if (entry_.read_only && request_.kind != AccessKind::kLoad) read_only(base);
    count_device(base, constant);
    return along_pattern(base);
  }

  /// Atomics of its own that are still to be done are done before what is not one of them.
  void meet(DeferredAtomics& deferred, u64 base) {
    if ((in_.flags & kAccessDeferrable) != 0) return;
    deferred.before_access(base + static_cast<u64>(entry_.pattern.lowest),
                           base + static_cast<u64>(entry_.pattern.highest) + request_.width);
  }

  void count_device(u64 base, bool constant) {
    if (!constant) return count_global(w_, in_, request_.kind, request_.bypass_l1, entry_.pattern, base);
    // The constant cache serves one address at a time; a uniform operand costs as much as a register.
    w_.memory_level = MemoryLevel::kL1;
    w_.memory_passes = 1;
    if (entry_.pattern.kind == AddressPattern::Kind::kUniform) return;
    w_.memory_passes = static_cast<u32>(std::popcount(request_.mask));
    count_constants();
  }

  /// Parameters of a kernel lie in the constant cache too.
  void count_constants() {
    if (entry_.pattern.kind != AddressPattern::Kind::kUniform)
      w_.work[ResourceUse::kL1Passes] += different_addresses();
  }

  u32 different_addresses() const {
    const AddressPattern& p = entry_.pattern;
    u32 different = 0;
    for (u32 left = p.mask; left != 0; ++different) {
      const u64 first = p.difference[static_cast<u32>(std::countr_zero(left))];
      for (u32 lanes = left; lanes != 0; lanes &= lanes - 1)
        if (const auto l = static_cast<u32>(std::countr_zero(lanes)); p.difference[l] == first)
          left &= ~(1u << l);
    }
    return different;
  }

  bool inside_one_allocation(u64 base) {
    const Memory& memory = *w_.block->grid->memory;
    const u64 low = base + static_cast<u64>(entry_.pattern.lowest);
    const u64 high = base + static_cast<u64>(entry_.pattern.highest) + request_.width;
    const auto holds = [&] { return low >= entry_.begin && high <= entry_.end && low < high; };
    if (entry_.epoch == memory.epoch() && holds()) [[likely]]
      return true;
    const Memory::Allocation* found = memory.find(low);
    if (found == nullptr) return false;
    entry_.epoch = memory.epoch();
    entry_.begin = found->begin;
    entry_.end = found->end;
    entry_.read_only = found->read_only;
    entry_.constant = found->constant;
    return holds();
  }

  /// Lanes in several allocations, or some lane in none: one by one.
  Access scattered(u64 base, bool constant) {
    const Memory& memory = *w_.block->grid->memory;
    auto& pointers = w_.block->access->pointers;
    check_alignment(base, "");
    for (u32 lanes = request_.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<u32>(std::countr_zero(lanes));
      const u64 address = base + entry_.pattern.difference[l];
      const Memory::Allocation* found = memory.find(address);
      if (found == nullptr || address + request_.width > found->end)
        w_.trap(TrapKind::kIllegalAddress, l, in_,
                access_text(request_.kind, "", address, request_.width) + ": " +
                    memory.explain(address, request_.width),
                memory.fault_of(address, request_.width));
      if (constant && !found->constant) not_constant(address, l);
      if (found->read_only && request_.kind != AccessKind::kLoad) read_only(address, l);
      pointers[l] = address;
    }
    count_device(base, constant);
    return {0, pointers.data(), AddressPattern::Kind::kGeneral};
  }

  Access shared(u64 base) {
    Block& block = *w_.block;
    if (block.reserved != nullptr && lies_within(base - kReservedShared, kReservedSharedBytes))
      return reserved(base);
    if (block.cluster != nullptr && !lies_within(base, block.shared_bytes)) return distributed(base);
    check_alignment(base, "shared address ");
    check_bounds(base, block.shared_bytes, "shared address ",
                 "the block's shared memory (static and dynamic)");
    count_shared(w_, in_, request_.kind, entry_.pattern, base);
    return along_pattern(reinterpret_cast<u64>(block.shared) + base);
  }

  /// The system's own part of shared memory.
  Access reserved(u64 base) {
    check_alignment(base, "shared address ");
    count_shared(w_, in_, request_.kind, entry_.pattern, base);
    return along_pattern(reinterpret_cast<u64>(w_.block->reserved) + (base - kReservedShared));
  }

  /// Shared memory of blocks of the cluster, by the rank in the upper bits of each address.
  Access distributed(u64 base) {
    const Block& mine = *w_.block;
    if (request_.kind != AccessKind::kLoad) ++mine.cluster->news;
    auto& pointers = mine.access->pointers;
    for (u32 lanes = request_.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<u32>(std::countr_zero(lanes));
      const u64 address = base + entry_.pattern.difference[l], offset = address & kClusterOffsetMask;
      const u64 rank = address >> kClusterRankShift;
      const Block* block = rank == 0                             ? &mine
                           : rank <= mine.cluster->blocks.size() ? mine.cluster->blocks[rank - 1]
                                                                 : nullptr;
      const auto refuse = [&](const std::string& why) {
        w_.trap(TrapKind::kIllegalAddress, l, in_,
                access_text(request_.kind, "shared::cluster address ", address, request_.width) + ": " + why);
      };
      if (rank > mine.cluster->blocks.size())
        refuse("there is no block " + std::to_string(rank - 1) + " in a cluster of " +
               std::to_string(mine.cluster->blocks.size()));
      if (block == nullptr)
        refuse("block " + std::to_string(rank - 1) +
               " of the cluster has not begun or has ended; cluster.sync() before the first access and after "
               "the last");
      if (offset + request_.width > block->shared_bytes)
        refuse(bounds_text(static_cast<s64>(offset), request_.width, block->shared_bytes,
                           "shared memory of block " + std::to_string(rank - 1) + " of the cluster"));
      pointers[l] = reinterpret_cast<u64>(block->shared) + offset;
    }
    check_alignment(base, "shared::cluster address ");
    count_shared(w_, in_, request_.kind, entry_.pattern, base);
    return {0, pointers.data(), AddressPattern::Kind::kGeneral};
  }

  /// Arguments of calls live in local memory too; on hardware they are registers, so they are not counted.
  Access local(u64 base, bool counted) {
    Block& block = *w_.block;
    check_alignment(base, "local address ");
    check_bounds(base, block.local_bytes, "local address ", "the thread's local memory");
    if (counted) count_local(w_, in_, request_.kind, entry_.pattern, base);
    auto& pointers = block.access->pointers;
    const u64 first =
        reinterpret_cast<u64>(block.local) + u64{w_.index} * kWarpSize * block.local_bytes + base;
    for (u32 l = 0; l < kWarpSize; ++l)
      pointers[l] = first + l * block.local_bytes + entry_.pattern.difference[l];
    return {0, pointers.data(), AddressPattern::Kind::kGeneral};
  }

  Access parameter(u64 base) {
    const Grid& grid = *w_.block->grid;
    check_bounds(base, grid.parameter_bytes, "parameter address ", "the kernel's parameters");
    check_alignment(base, "parameter address ");
    if (request_.kind != AccessKind::kLoad)
      w_.trap(TrapKind::kIllegalAddress, first_lane(), in_,
              access_text(request_.kind, "parameter address ", base, request_.width) +
                  ": the parameters of a kernel cannot be written");
    count_constants();
    return along_pattern(reinterpret_cast<u64>(grid.parameters) + base);
  }

  Access generic(u64 base) {
    const u64 low = base + static_cast<u64>(entry_.pattern.lowest);
    const u64 high = base + static_cast<u64>(entry_.pattern.highest);
    const Space space = space_of(low);
    if (low <= high && space_of(high) == space) [[likely]]
      return dispatch(space, base - window_base(space));
    return mixed(base);
  }

  static u64 window_base(Space space) {
    switch (space) {
      case Space::kShared:
        return kSharedWindow;
      case Space::kLocal:
        return kLocalWindow;
      case Space::kParam:
        return kParamWindow;
      default:
        return 0;
    }
  }

  /// Generic addresses of several spaces in one warp: one request for each.
  Access mixed(u64 base) {
    alignas(64) std::array<u64, kWarpSize> addresses, pointers{};
    for (u32 l = 0; l < kWarpSize; ++l) addresses[l] = base + entry_.pattern.difference[l];
    for (u32 left = request_.mask; left != 0;) {
      const Space space = space_of(addresses[static_cast<u32>(std::countr_zero(left))]);
      Request part = request_;
      part.space = space;
      part.mask = 0;
      for (u32 l = 0; l < kWarpSize; ++l)
        if ((left >> l & 1u) != 0 && space_of(addresses[l]) == space) part.mask |= 1u << l;
      const Access access =
          Resolver(w_, in_, part).resolve(addresses.data(), -static_cast<s64>(window_base(space)));
      for (u32 l = 0; l < kWarpSize; ++l)
        if ((part.mask >> l & 1u) != 0) pointers[l] = access.base + access.offsets[l];
      left &= ~part.mask;
    }
    w_.block->access->pointers = pointers;
    return {0, w_.block->access->pointers.data(), AddressPattern::Kind::kGeneral};
  }

  u32 first_lane() const { return static_cast<u32>(std::countr_zero(request_.mask)); }

  bool lies_within(u64 base, u64 size) const {
    const u64 low = base + static_cast<u64>(entry_.pattern.lowest);
    const u64 end = base + static_cast<u64>(entry_.pattern.highest) + request_.width;
    return low < end && end <= size;
  }

  static std::string none_text(std::string_view space, const char* what) {
    if (space.starts_with("shared"))
      return "this launch gave the block no shared memory: extern __shared__ has as many bytes as the third "
             "argument of <<<...>>> says";
    return std::string("there is no ") + (what + 4);  // what starts with "the "
  }

  /// [0, size) must hold every lane.
  void check_bounds(u64 base, u64 size, const char* space, const char* what) {
    if (lies_within(base, size)) [[likely]]
      return;
    for (u32 lanes = request_.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<u32>(std::countr_zero(lanes));
      const u64 address = base + entry_.pattern.difference[l];
      if (address <= size && address + request_.width <= size) continue;
      std::string why = bounds_text(static_cast<s64>(address), request_.width, size, what);
      if (size == 0) why = none_text(space, what);
      w_.trap(TrapKind::kIllegalAddress, l, in_,
              access_text(request_.kind, space, address, request_.width) + ": " + why);
    }
  }

  /// Before the bounds, as on hardware: a wide access whose end lies outside is misaligned first.
  void check_alignment(u64 base, const char* space) {
    const u64 wrong = request_.width - 1;
    if (((base | entry_.pattern.low_bits) & wrong) == 0) [[likely]]
      return;
    for (u32 lanes = request_.mask; lanes != 0; lanes &= lanes - 1) {
      const auto l = static_cast<u32>(std::countr_zero(lanes));
      const u64 address = base + entry_.pattern.difference[l];
      if ((address & wrong) == 0) continue;
      w_.trap(TrapKind::kMisalignedAddress, l, in_,
              access_text(request_.kind, space, address, request_.width) + ": misaligned, the address is " +
                  count_of(address & wrong, "byte") + " past a multiple of " +
                  std::to_string(request_.width));
    }
  }

  [[noreturn]] void not_constant(u64 address, u32 lane) {
    w_.trap(TrapKind::kIllegalAddress, lane, in_,
            access_text(request_.kind, "", address, request_.width) +
                ": a load from constant memory, and this is no __constant__ variable; " +
                w_.block->grid->memory->explain(address, request_.width));
  }
  [[noreturn]] void read_only(u64 address, u32 lane) {
    const Memory& memory = *w_.block->grid->memory;
    const Memory::Allocation* found = memory.find(address);
    const bool mapped = found != nullptr && found->is_mapped;
    w_.trap(TrapKind::kIllegalAddress, lane, in_,
            access_text(request_.kind, "", address, request_.width) +
                (mapped ? ": memory mapped for reading" : ": constant memory") +
                ", which a kernel can only read; " + memory.explain(address, request_.width));
  }
  [[noreturn]] void read_only(u64 base) { read_only(base, first_lane()); }

  Warp& w_;
  const Instruction& in_;
  const Request request_;
  AccessEntry& entry_;
};

bool is_reserved(const Block& block, u64 offset) {
  return block.reserved != nullptr && offset - kReservedShared < kReservedSharedBytes;
}

bool inside_window(u64 address, u64 window) { return address - window < kWindowBytes; }

}  // namespace

Space space_of(u64 address) {
  if (address < kSharedWindow) [[likely]]
    return Space::kGlobal;
  if (inside_window(address, kSharedWindow)) return Space::kShared;
  if (inside_window(address, kLocalWindow)) return Space::kLocal;
  if (inside_window(address, kParamWindow)) return Space::kParam;
  return Space::kGlobal;
}

Access begin_access(Warp& w, const Instruction& in, AccessKind kind) {
  const Request request{kind, access_space(in), w.mask, in.width, (in.flags & kAccessBypassL1) != 0, 0};
  Resolver resolver(w, in, request);
  if ((in.flags & kAccessNarrow) != 0) return resolver.resolve(w.row<u32>(in.a), in.immediate);
  return resolver.resolve(w.row<u64>(in.a), in.immediate);
}

Access begin_access(Warp& w, const Instruction& in, const Request& request, const u64* addresses) {
  return Resolver(w, in, request).resolve(addresses, 0);
}

u64 readable_bytes(const Warp& w, u32 lane, u64 address, u64 limit) {
  const Block& block = *w.block;
  const auto within = [&](u64 offset, u64 size) {
    return offset < size ? std::min(limit, size - offset) : 0;
  };
  switch (space_of(address)) {
    case Space::kShared:
      if (const u64 offset = address - kSharedWindow; is_reserved(block, offset))
        return within(offset - kReservedShared, kReservedSharedBytes);
      return within(address - kSharedWindow, block.shared_bytes);
    case Space::kLocal:
      return within(address - kLocalWindow, block.local_bytes);
    case Space::kParam:
      return within(address - kParamWindow, block.grid->parameter_bytes);
    default:
      break;
  }
  static_cast<void>(lane);
  const Memory::Allocation* found = block.grid->memory->find(address);
  return found == nullptr ? 0 : std::min(limit, found->end - address);
}

u8* lane_pointer(Warp& w, const Instruction& in, u32 lane, u64 address, u64 bytes, AccessKind kind) {
  const Block& block = *w.block;
  if (readable_bytes(w, lane, address, bytes) < bytes)
    w.trap(TrapKind::kIllegalAddress, lane, in,
           access_text(kind, "", address, bytes) + ": " + block.grid->memory->explain(address, bytes),
           block.grid->memory->fault_of(address, bytes));
  switch (space_of(address)) {
    case Space::kShared:
      if (const u64 offset = address - kSharedWindow; is_reserved(block, offset))
        return block.reserved + (offset - kReservedShared);
      return block.shared + (address - kSharedWindow);
    case Space::kLocal:
      return block.local + (u64{w.index} * kWarpSize + lane) * block.local_bytes + (address - kLocalWindow);
    case Space::kParam:
      return const_cast<u8*>(block.grid->parameters) + (address - kParamWindow);
    default:
      if (block.deferred != nullptr) block.deferred->before_access(address, address + bytes);
      return reinterpret_cast<u8*>(address);
  }
}

}  // namespace roofline::sim
