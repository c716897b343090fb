// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/driver/cuda.h"

namespace roofline::sim::driver {

/// What a caller of the driver's compiler and linker asks to be told. Options that steer machine code mean
/// nothing here: PTX is executed as it is.
class JitOptions {
 public:
  JitOptions() = default;
  /// The arrays must outlive the object: sizes are written back into `values`.
  JitOptions(unsigned n, CUjit_option* options, void** values) : n_(n), options_(options), values_(values) {}
  bool valid() const { return n_ == 0 || (options_ && values_); }

  /// Writes the logs into the caller's buffers, cut where these end.
  void tell(const std::string& info, const std::string& errors) const;

 private:
  void write(CUjit_option buffer, CUjit_option size, const std::string& text) const;
  void** find(CUjit_option option) const;

  unsigned n_ = 0;
  CUjit_option* options_ = nullptr;
  void** values_ = nullptr;
};

}  // namespace roofline::sim::driver
