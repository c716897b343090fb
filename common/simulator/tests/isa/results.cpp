// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "simulator/channel/vector_level.h"
#include "simulator/tests/isa/random_operands.h"
#include "simulator/tests/isa/spellings.h"

// Prints a hash of what every spelling of the computing chapters gives on the same random operands. Built
// once a vector level: the outputs must be equal (tests/isa/levels_agree.cmake).
namespace roofline::sim::isa::cases {
namespace {

u64 hash(u64 state, const u8* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) state = (state ^ bytes[i]) * 0x100'0000'01b3u;
  return state;
}

std::size_t row_bytes(ptx::Type type) {
  return type.kind == ptx::Type::Kind::kPredicate ? sizeof(u32) : type.bytes() * kWarpSize;
}

/// A row of operands: random bits in half of the lanes, floats near one or otherwise odd in the rest.
void draw(u8* row, ptx::Type type, Values& values) {
  for (std::size_t at = 0; at < row_bytes(type); at += 4) {
    const bool plain = values.below(2) == 0 || type.bits == 1;
    u32 word = plain ? static_cast<u32>(values.bits()) : to_bits(values.single());
    if (!plain && type.kind == ptx::Type::Kind::kFloat && (type.bits == 16 || type.lanes == 2))
      word = u32{values.half().bits} | u32{values.half().bits} << 16;
    std::memcpy(row + at, &word, 4);
  }
  if (type.bits == 64 && type.kind == ptx::Type::Kind::kFloat)
    for (u32 lane = 0; lane < kWarpSize; lane += 2) {
      const f64 value = values.wide();
      std::memcpy(row + lane * 8, &value, 8);
    }
}

void print_result(const std::string& spelling, std::size_t operands) {
  const ptx::Instruction instruction =
      instruction_of(spelling, {"0"}, std::vector<std::string>(operands - 1, "0x96"));
  Match match;
  const Row* row = find(instruction, match);
  CaseBinder binder(instruction);
  Instruction in;
  row->bind(*row, match, binder, in);
  Warp w;
  w.bank[0] = w.bank[1] = binder.memory();
  Values values(std::hash<std::string>{}(spelling));
  u64 state = 0xcbf2'9ce4'8422'2325u;
  for (int round = 0; round < 40; ++round) {
    w.mask = round % 4 == 3 ? static_cast<u32>(values.bits()) | 1u : ~0u;
    w.carry = static_cast<u32>(values.bits());
    for (const auto& source : binder.sources)
      draw(binder.memory() + source.slot.offset(), source.type, values);
    in.execute(w, in);
    for (const auto& result : binder.results)
      state = hash(state, binder.memory() + result.slot.offset(), row_bytes(result.type));
    state = hash(state, reinterpret_cast<const u8*>(&w.carry), sizeof w.carry);
  }
  std::printf("%s %016llx\n", spelling.c_str(), static_cast<unsigned long long>(state));
}

}  // namespace
}  // namespace roofline::sim::isa::cases

int main() {
  if (!roofline::sim::channel::cpu_has(ROOFLINE_LEVEL)) return 0;  // nothing printed: not compared
  using namespace roofline::sim::isa;
  for (const Row& row : cases::computing_rows())
    for (const std::string& spelling : cases::spellings_of(row, 200))
      cases::print_result(spelling, cases::operands_of(row.syntax));
  return 0;
}
