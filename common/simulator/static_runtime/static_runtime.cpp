// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/static_runtime/static_runtime.h"

#include <algorithm>
#include <set>

namespace roofline::sim::static_runtime {
namespace {

/// Every translation unit with device code calls it before main().
constexpr std::string_view kRegistration = "__cudaRegisterFatBinary";

/// A local name in the start code of each program: where it is, no names were taken away.
constexpr std::string_view kLocal = "frame_dummy";

/// CUDA 13 has no such function; all before it had.
constexpr std::string_view kRemoved = "cudaThreadSynchronize";

bool has(const std::vector<Function>& functions, std::string_view name) {
  return std::any_of(functions.begin(), functions.end(),
                     [&](const Function& function) { return function.name == name; });
}

/// As a public function of the runtime may be called: cudaMalloc, not cudart or a mangled name.
bool is_public_name(std::string_view name) {
  return name.size() > 4 && name.starts_with("cuda") && name[4] >= 'A' && name[4] <= 'Z';
}

}  // namespace

Presence static_runtime_presence(const ElfFile& file) {
  const std::vector<Function> functions = file.functions();
  if (has(functions, kRegistration)) return has(functions, kRemoved) ? Presence::kOlder : Presence::kFound;
  // With all its symbols, it has none: nvcc -rdc=true adds such a section to programs of the driver API, too.
  if (has(functions, kLocal)) return Presence::kNone;
  const bool device_code = file.has_section(".nv_fatbin") || file.has_section(".nvFatBinSegment");
  return device_code && !file.imports(kRegistration) ? Presence::kStripped : Presence::kNone;
}

StaticRuntime find_static_runtime(const ElfFile& file, const std::vector<Function>& exported) {
  StaticRuntime runtime{static_runtime_presence(file), {}};
  if (runtime.presence != Presence::kFound) return runtime;
  std::set<std::string_view> known;
  for (const Function& function : exported) known.insert(function.name);
  const std::vector<Function> all = file.functions();
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const Function& function : all)
    if (known.contains(function.name)) {
      first = std::min(first, function.address);
      last = std::max(last, function.address);
    }
  for (const Function& function : all)
    if (known.contains(function.name) ||
        (is_public_name(function.name) && function.address > first && function.address < last))
      runtime.functions.push_back(function);
  return runtime;
}

}  // namespace roofline::sim::static_runtime
