// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Any file that ./lab run is given: reading it is total, and names lie within its bytes.
#include <elf.h>

#include <cstdlib>
#include <functional>

#include "simulator/static_runtime/static_runtime.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roofline::sim::static_runtime;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const ElfFile file(std::as_bytes(std::span(data, size)));
  const auto inside = [&](std::string_view name) {
    const std::less_equal<const char*> before;
    return name.empty() ||
           (before(all.data(), name.data()) && before(name.data() + name.size(), all.data() + all.size()));
  };
  for (const auto& functions : {file.functions(), file.exported_functions()})
    for (const Function& function : functions)
      if (!inside(function.name)) std::abort();
  for (const auto tag : {DT_NEEDED, DT_RPATH, DT_RUNPATH}) file.dynamic(tag);
  file.has_interpreter();
  find_static_runtime(file, file.exported_functions());
  return 0;
}
