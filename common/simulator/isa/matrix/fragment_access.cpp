// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/matrix/fragment_access.h"

#include <algorithm>

namespace roofline::sim::isa {

namespace {

/// Lanes of a tile: lane l is in row l / 4, and holds the (l mod 4)th piece of it.
constexpr u32 row_of(u32 lane) { return lane / 4; }
constexpr u32 piece_of(u32 lane) { return lane % 4; }

/// The requests of one instruction. Each has an AccessCache entry of its own, by the tile's column; the
/// scoreboard sees them as one.
class Requests {
 public:
  Requests(Warp& w, const Instruction& in, const FragmentAccess& plan, AccessKind kind, u64 address,
           u64 stride)
      : w_(w), in_(in), plan_(plan), kind_(kind), address_(address), stride_(stride) {}
  ~Requests() {
    w_.memory_level = level_;
    w_.memory_passes = std::max(passes_, 1u);
    w_.memory_transfers = transfers_;
    w_.memory_sectors = sectors_;
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;

  /// Byte offset of an element; rows and columns are those of the registers.
  u64 offset(u64 row, u64 column) const {
    if (plan_.across) std::swap(row, column);
    return (row * stride_ + column) * plan_.element_bits() / 8;
  }

  /// Lanes move the pieces of the tile's rows as they lie in memory.
  Access along_rows(FragmentAccess::Tile tile) {
    const u64 pitch = stride_ * plan_.element_bits() / 8, first = address_ + offset(tile.row, tile.column);
    alignas(64) u64 addresses[kWarpSize];
    for (u32 l = 0; l < kWarpSize; ++l)
      addresses[l] = first + row_of(l) * pitch + piece_of(l) * plan_.lane_bytes();
    return begin(addresses, ~0u, plan_.lane_bytes(), tile.column);
  }

  /// Each lane moves its element number `element` of the tile, wherever that lies.
  Access by_element(FragmentAccess::Tile tile, u32 element) {
    const u32 many = plan_.lane_elements();
    const u64 first = address_ + offset(tile.row, tile.column + element);
    const u64 row = offset(1, 0), column = offset(0, 1) * many;
    alignas(64) u64 addresses[kWarpSize];
    for (u32 l = 0; l < kWarpSize; ++l) addresses[l] = first + row_of(l) * row + piece_of(l) * column;
    return begin(addresses, ~0u, plan_.element_bits() / 8, tile.row + element);
  }

  /// Eight lanes a tile name a row of 16 bytes each, up to four tiles at once.
  Access by_rows(const FragmentAccess::Tile* tiles, u32 count) {
    const u64 pitch = stride_ * 2;
    alignas(64) u64 addresses[kWarpSize] = {};
    for (u32 t = 0; t < count; ++t) {
      const u64 first = address_ + offset(tiles[t].row, tiles[t].column);
      for (u32 r = 0; r < 8; ++r) addresses[8 * t + r] = first + r * pitch;
    }
    return begin(addresses, count == 4 ? ~0u : (1u << 8 * count) - 1, kTileRowBytes, tiles[0].row);
  }

 private:
  Access begin(const u64* addresses, u32 mask, u32 width, u32 part) {
    const Access access =
        begin_access(w_, in_, {kind_, access_space(in_), mask, width, false, part}, addresses);
    level_ = std::max(level_, w_.memory_level);
    passes_ += w_.memory_passes;
    transfers_ += w_.memory_transfers;
    sectors_ += w_.memory_sectors;
    w_.memory_transfers = w_.memory_sectors = 0;
    return access;
  }

  Warp& w_;
  const Instruction& in_;
  const FragmentAccess& plan_;
  AccessKind kind_;
  u64 address_, stride_;
  MemoryLevel level_ = MemoryLevel::kNone;
  u32 passes_ = 0, transfers_ = 0, sectors_ = 0;
};

/// The 128 bytes of a tile whose rows are whole in memory.
void load_rows(const Access& access, u32 lanes_a_row, TileRow (&rows)[8]) {
  if (access.base != 0 || lanes_a_row == 1) {
    for (u32 r = 0; r < 8; ++r) rows[r] = load_row(access.lane(r * lanes_a_row));
    return;
  }
  for (u32 r = 0; r < 8; ++r) {
    u32 words[4];
    for (u32 p = 0; p < 4; ++p) std::memcpy(&words[p], access.lane(4 * r + p), 4);
    std::memcpy(&rows[r], words, sizeof words);
  }
}

void keep_tile(const FragmentAccess& plan, TileRow (&rows)[8], u8* to) {
  if (plan.transposes()) transpose(rows);
  for (u32 r = 0; r < 8; ++r) store_row(to + 16 * r, rows[r]);
}

/// Pieces of lane_bytes() a lane, split over the tile's registers.
void split_lanes(const Access& access, const FragmentAccess& plan, u8* const* to) {
  const u32 bytes = plan.register_bytes();
  if (bytes == 4 && access.base != 0) {
    for (u32 r = 0; r < 8; ++r) {
      f32 values[8];
      std::memcpy(values, access.lane(4 * r), sizeof values);
      store_pair(reinterpret_cast<f32*>(to[0]) + 4 * r, reinterpret_cast<f32*>(to[1]) + 4 * r,
                 evens_then_odds(load(values)));
    }
    return;
  }
  for (u32 l = 0; l < kWarpSize; ++l)
    for (u32 i = 0; i < plan.registers_a_tile(); ++i)
      std::memcpy(to[i] + l * bytes, access.lane(l) + i * bytes, bytes);
}

void join_lanes(const Access& access, const FragmentAccess& plan, const u8* const* from) {
  const u32 bytes = plan.register_bytes();
  if (bytes == 4 && access.base != 0) {
    for (u32 r = 0; r < 8; ++r) {
      f32 values[8];
      store(values, interleaved(load_pair(reinterpret_cast<const f32*>(from[0]) + 4 * r,
                                          reinterpret_cast<const f32*>(from[1]) + 4 * r)));
      std::memcpy(access.lane(4 * r), values, sizeof values);
    }
    return;
  }
  for (u32 l = 0; l < kWarpSize; ++l)
    for (u32 i = 0; i < plan.registers_a_tile(); ++i)
      std::memcpy(access.lane(l) + i * bytes, from[i] + l * bytes, bytes);
}

/// Where element number `e` of a lane is: its register and its byte there.
struct Place {
  u32 register_index, byte;
};
Place place_of(const FragmentAccess& plan, u32 e) {
  const u32 at = e * plan.element_bits() / 8;
  return {at / plan.register_bytes(), at % plan.register_bytes()};
}

void load_elements(Requests& requests, const FragmentAccess& plan, FragmentAccess::Tile tile, u8* const* to) {
  const u32 bytes = plan.element_bits() / 8;
  for (u32 e = 0; e < plan.lane_elements(); ++e) {
    const Access access = requests.by_element(tile, e);
    const Place place = place_of(plan, e);
    for (u32 l = 0; l < kWarpSize; ++l)
      std::memcpy(to[place.register_index] + l * plan.register_bytes() + place.byte, access.lane(l), bytes);
  }
}

void store_elements(Requests& requests, const FragmentAccess& plan, FragmentAccess::Tile tile,
                    const u8* const* from) {
  const u32 bytes = plan.element_bits() / 8;
  for (u32 e = 0; e < plan.lane_elements(); ++e) {
    const Access access = requests.by_element(tile, e);
    const Place place = place_of(plan, e);
    for (u32 l = 0; l < kWarpSize; ++l)
      std::memcpy(access.lane(l), from[place.register_index] + l * plan.register_bytes() + place.byte, bytes);
  }
}

/// Tiles of an operand in the order of its registers.
std::vector<FragmentAccess::Tile> operand_tiles(Tiles tiles, u32 k_of_tile, bool is_first) {
  std::vector<FragmentAccess::Tile> list(static_cast<std::size_t>((is_first ? tiles.m : tiles.n) * tiles.k));
  for (int k = 0; k < tiles.k; ++k)
    for (int r = 0; r < (is_first ? tiles.m : tiles.n); ++r)
      list[static_cast<std::size_t>(is_first ? tiles.a_register(r, k) : tiles.b_register(r, k))] = {
          static_cast<u32>(r) * 8, static_cast<u32>(k) * k_of_tile};
  return list;
}

}  // namespace

u32 FragmentAccess::requests() const {
  const u32 count = static_cast<u32>(tiles.size());
  if (by_rows) return (count + 3) / 4;
  if (transposes()) return 2 * count;  // the tile and its transposition
  return across ? count * lane_elements() : count;
}

FragmentAccess fragment_access(std::string_view use, Shape shape, Element element, bool is_row) {
  FragmentAccess plan;
  plan.element = element;
  plan.is_accumulator = use == "c" || use == "d";
  const bool swapped = shape.n == 32;
  const u32 k_of_tile = element == Element::kF64 ? 4 : 128 / bits_of(element);
  Tiles tiles{static_cast<int>(shape.m / 8), static_cast<int>(shape.n / 8), 1};
  if (swapped) std::swap(tiles.m, tiles.n);
  if (plan.is_accumulator) {
    for (int n = 0; n < tiles.n; ++n)
      for (int m = 0; m < tiles.m; ++m)
        plan.tiles.push_back({static_cast<u32>(m) * 8, static_cast<u32>(n) * 8});
    plan.across = is_row == swapped;
    plan.default_stride = is_row ? shape.n : shape.m;
  } else {
    tiles.k = static_cast<int>(shape.k / k_of_tile);
    plan.tiles = operand_tiles(tiles, k_of_tile, (use == "a") != swapped);
    plan.across = is_row != (use == "a");
    plan.default_stride = is_row == (use == "a") ? shape.k : use == "a" ? shape.m : shape.n;
  }
  plan.distinct = static_cast<u32>(plan.tiles.size()) * plan.registers_a_tile();
  plan.registers = element == Element::kF16 && !plan.is_accumulator ? 8 : plan.distinct;
  return plan;
}

void load_fragment(Warp& w, const Instruction& in, const FragmentAccess& plan, u64 address, u64 stride,
                   u8* const* registers) {
  Requests requests(w, in, plan, AccessKind::kLoad, address, stride);
  const u32 each = plan.registers_a_tile(), count = static_cast<u32>(plan.tiles.size());
  if (plan.by_rows) {
    for (u32 first = 0; first < count; first += 4) {
      const u32 many = std::min(count - first, 4u);
      const Access access = requests.by_rows(&plan.tiles[first], many);
      for (u32 t = 0; t < many; ++t) {
        TileRow rows[8];
        for (u32 r = 0; r < 8; ++r) rows[r] = load_row(access.lane(8 * t + r));
        keep_tile(plan, rows, registers[first + t]);
      }
    }
    return;
  }
  for (u32 t = 0; t < count; ++t) {
    u8* const* to = registers + t * each;
    if (plan.across && !plan.transposes()) {
      load_elements(requests, plan, plan.tiles[t], to);
    } else if (plan.lane_bytes() == 4) {
      const Access access = requests.along_rows(plan.tiles[t]);
      TileRow rows[8];
      load_rows(access, 4, rows);
      keep_tile(plan, rows, to[0]);
    } else {
      split_lanes(requests.along_rows(plan.tiles[t]), plan, to);
    }
  }
}

void store_fragment(Warp& w, const Instruction& in, const FragmentAccess& plan, u64 address, u64 stride,
                    const u8* const* registers) {
  Requests requests(w, in, plan, AccessKind::kStore, address, stride);
  const u32 each = plan.registers_a_tile();
  for (u32 t = 0; t < plan.tiles.size(); ++t) {
    const u8* const* from = registers + t * each;
    if (plan.across && !plan.transposes()) {
      store_elements(requests, plan, plan.tiles[t], from);
      continue;
    }
    const Access access = requests.along_rows(plan.tiles[t]);
    if (plan.lane_bytes() != 4) {
      join_lanes(access, plan, from);
      continue;
    }
    TileRow rows[8];
    for (u32 r = 0; r < 8; ++r) rows[r] = load_row(from[0] + 16 * r);
    if (plan.transposes()) transpose(rows);
    for (u32 l = 0; l < kWarpSize; ++l)
      std::memcpy(access.lane(l), reinterpret_cast<const u8*>(rows) + 4 * l, 4);
  }
}

}  // namespace roofline::sim::isa
