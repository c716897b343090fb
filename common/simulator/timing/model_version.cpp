// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/model_version.h"

#include "simulator/text.h"

namespace roofline::sim {

extern const char kModelSources[];  // made by cmake/model_sources.cmake

std::string model_version(const DeviceDescription& device) {
  u32 hash = 2166136261;  // FNV-1a
  for (const char c : kModelSources + values_text(device)) hash = (hash ^ static_cast<u8>(c)) * 16777619;
  return hex(hash, 8).substr(2);
}

}  // namespace roofline::sim
