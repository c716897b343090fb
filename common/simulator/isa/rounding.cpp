// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cfenv>

#include "simulator/isa/float_shapes.h"

namespace roofline::sim::isa {

namespace {

/// Runs the instruction's own function under the host's rounding mode in `immediate`. The function is reached
/// through a pointer the compiler cannot see through, so none of its arithmetic moves out of the two calls.
void execute_rounded(Warp& w, const Instruction& in) {
  const auto inner = reinterpret_cast<Execute>(reinterpret_cast<std::uintptr_t>(in.extra->pointer));
  std::fesetround(static_cast<int>(in.immediate));
  inner(w, in);
  std::fesetround(FE_TONEAREST);
}

}  // namespace

void bind_rounding(const Match& match, Binder& binder, Instruction& in) {
  int mode = FE_TONEAREST;
  if (match.has("rz")) mode = FE_TOWARDZERO;
  if (match.has("rm")) mode = FE_DOWNWARD;
  if (match.has("rp")) mode = FE_UPWARD;
  if (mode == FE_TONEAREST) return;
  Extra& extra = binder.extra();
  extra.pointer = reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(in.execute));
  in.extra = &extra;
  in.immediate = mode;
  in.execute = &execute_rounded;
}

}  // namespace roofline::sim::isa
