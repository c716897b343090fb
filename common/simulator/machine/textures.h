// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <unordered_map>

#include "simulator/program/texture.h"
#include "simulator/program/trap.h"

namespace roofline::sim {

/// The texture and surface objects of one device, by the number that a program knows them by. A number is
/// never used twice, on no device: what was destroyed, or belongs to another one, is not found.
class Textures {
 public:
  u64 add(TextureObject object);
  bool remove(u64 number);
  const TextureObject* find(u64 number) const {
    const auto found = objects_.find(number);
    return found == objects_.end() ? nullptr : &found->second;
  }
  /// Why there is no such object, for a person.
  std::string explain(u64 number) const;
  /// The same for code: kDestroyedObject or kOther.
  static AddressFault fault_of(u64 number);

 private:
  std::unordered_map<u64, TextureObject> objects_;
};

}  // namespace roofline::sim
