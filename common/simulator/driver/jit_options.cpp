// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/jit_options.h"

#include <algorithm>
#include <cstring>

namespace roofline::sim::driver {

void** JitOptions::find(CUjit_option option) const {
  for (unsigned i = 0; i < n_; i++)
    if (options_[i] == option) return &values_[i];
  return nullptr;
}

/// Options are pointers that hold numbers: the size of a buffer comes in, the bytes written go out.
void JitOptions::write(CUjit_option buffer, CUjit_option size, const std::string& text) const {
  void** const to = find(buffer);
  void** const bytes = find(size);
  if (!to || !bytes || !*to) return;
  const auto room = static_cast<unsigned>(reinterpret_cast<size_t>(*bytes));
  const size_t written = room == 0 ? 0 : std::min<size_t>(text.size(), room - 1);
  if (room != 0) {
    std::memcpy(*to, text.data(), written);
    static_cast<char*>(*to)[written] = '\0';
  }
  *bytes = reinterpret_cast<void*>(written == 0 ? 0 : written + 1);
}

void JitOptions::tell(const std::string& info, const std::string& errors) const {
  write(CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, info);
  write(CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, errors);
  if (void** const time = find(CU_JIT_WALL_TIME)) {
    const float none = 0;  // compiling costs no virtual time
    std::memcpy(time, &none, sizeof none);
  }
}

}  // namespace roofline::sim::driver
