// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/textures.h"

#include <atomic>

#include "simulator/text.h"

namespace roofline::sim {

namespace {
std::atomic<u64> last_number{0};
}  // namespace

u64 Textures::add(TextureObject object) {
  const u64 number = ++last_number;
  objects_.emplace(number, std::move(object));
  return number;
}

AddressFault Textures::fault_of(u64 number) {
  const bool existed = number != 0 && number <= last_number;
  return existed ? AddressFault::kDestroyedObject : AddressFault::kOther;
}

bool Textures::remove(u64 number) { return objects_.erase(number) != 0; }

std::string Textures::explain(u64 number) const {
  if (fault_of(number) == AddressFault::kOther) return hex(number) + " is no texture or surface object";
  return "this texture or surface object was destroyed, or belongs to another GPU";
}

}  // namespace roofline::sim
