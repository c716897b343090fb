// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofline::sim::isa {

/// A Binder that may lay wmma fragments out as no hardware does (`--permute-fragments`) is one of these, too.
class FragmentOrder {
 public:
  virtual ~FragmentOrder() = default;
  virtual bool permutes_fragments() const = 0;
};

}  // namespace roofline::sim::isa
