// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "simulator/isa/row.h"
#include "simulator/isa/types.h"
#include "simulator/machine/access.h"

/// What the memory chapters share: spellings of spaces, orders and hints, and binding of address operands.
namespace roofline::sim::isa {

using MemoryTypes = TypeList<B8, B16, B32, B64, U8, U16, U32, U64, S8, S16, S32, S64, F32, F64>;

/// The spellings that select a state space; `prefix` is what stands in a syntax line.
struct SpaceName {
  ptx::Space space;
  std::string_view prefix;
};
inline constexpr SpaceName kGeneric{ptx::Space::kGeneric, ""};
inline constexpr SpaceName kGlobal{ptx::Space::kGlobal, ".global"};
inline constexpr SpaceName kShared{ptx::Space::kShared, ".{shared,shared::cta,shared::cluster}"};
inline constexpr SpaceName kLocal{ptx::Space::kLocal, ".local"};
inline constexpr SpaceName kConst{ptx::Space::kConst, ".const"};
inline constexpr SpaceName kParam{ptx::Space::kParam, ".{param,param::entry,param::func}"};

inline constexpr std::string_view kScopes = "{.cta,.cluster,.gpu,.sys}";
inline constexpr std::string_view kEvictionHints =
    "{.L1::evict_normal,.L1::evict_unchanged,.L1::evict_first,.L1::evict_last,.L1::no_allocate}"
    "{.L2::evict_normal,.L2::evict_first,.L2::evict_last}{.L2::cache_hint}";
inline constexpr std::string_view kPrefetchSizes = "{.L2::64B,.L2::128B,.L2::256B}";

/// Keeps a syntax line that was put together for the lifetime of the program: rows hold views.
std::string_view keep(std::string line);

/// Binds "[a+4]" to in.a, in.immediate and the space bits of in.flags.
void bind_address(const ptx::Operand& operand, ptx::Space space, Binder& binder, Instruction& in);

/// The operands of "{a, b, c, d}", or the one operand itself.
inline std::size_t vector_length(const ptx::Operand& operand) {
  return operand.kind == ptx::Operand::Kind::kVector ? operand.elements.size() : 1;
}

/// One request of the memory pipe.
Cost memory_cost(const Match& match);

std::vector<Row> load_rows();
std::vector<Row> store_rows();
std::vector<Row> address_rows();
std::vector<Row> async_copy_rows();

}  // namespace roofline::sim::isa
