// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/entry_points.h"

#include <dlfcn.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/driver/frame.h"
#include "simulator/runtime/not_supported.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::driver {
namespace {

/// The same function for programs compiled with `--default-stream per-thread`.
template <auto Function>
struct PerThread;
template <class... Arguments, CUresult (*Function)(Arguments...)>
struct PerThread<Function> {
  static CUresult call(Arguments... arguments) {
    const CUstream before = std::exchange(default_stream(), CU_STREAM_PER_THREAD);
    const CUresult result = Function(arguments...);
    default_stream() = before;
    return result;
  }
};

CUresult missing(const char* name, std::atomic<bool>& said) {
  return initialised(
      [&] { return static_cast<CUresult>(runtime::not_supported(name, said, "CUDA_ERROR_NOT_SUPPORTED")); });
}

// The parameters of what is missing do not matter: the caller cleans up.
#define DONE(name, base, version)
#define TWIN(name, original, base, version)
#define MISSING(name, base, version, why)  \
  CUresult missing_##name() {              \
    static std::atomic<bool> said = false; \
    return missing(#name, said);           \
  }
#include "simulator/driver/names.list"
#undef DONE
#undef TWIN
#undef MISSING

constexpr EntryPoint::Streams streams_of(std::string_view name) {
  return name.ends_with("_ptsz") || name.ends_with("_ptds") ? EntryPoint::Streams::kPerThread
                                                            : EntryPoint::Streams::kLegacy;
}

const std::vector<EntryPoint>& all() {
  static const std::vector<EntryPoint>* const entries = new std::vector<EntryPoint>{
#define ENTRY(name, base, version, function) \
  {#name, #base, version, streams_of(#name), reinterpret_cast<void*>(function)},
#define DONE(name, base, version) ENTRY(name, base, version, &(name))
#define TWIN(name, original, base, version) ENTRY(name, base, version, &PerThread<&(original)>::call)
#define MISSING(name, base, version, why) ENTRY(name, base, version, &missing_##name)
#include "simulator/driver/names.list"
#undef DONE
#undef TWIN
#undef MISSING
#undef ENTRY
  };
  return *entries;
}

}  // namespace

void* exported(std::string_view name) {
  static const auto* const by_name = [] {
    auto* const names = new std::map<std::string_view, void*>;
    for (const EntryPoint& entry : all()) names->emplace(entry.name, entry.function);
    return names;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? nullptr : found->second;
}

void* find(std::string_view base, int version, EntryPoint::Streams streams,
           CUdriverProcAddressQueryResult& why) {
  // The one name that a macro of cuda.h leads to a function of another name.
  if (base == "cuGraphInstantiate" && version >= 12000) base = "cuGraphInstantiateWithFlags";
  const EntryPoint* best = nullptr;
  why = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  for (const EntryPoint& entry : all()) {
    if (entry.base != base) continue;
    if (entry.streams == EntryPoint::Streams::kPerThread && streams == EntryPoint::Streams::kLegacy) continue;
    if (entry.version > version) {
      if (!best) why = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
      continue;
    }
    const bool better =
        !best || (entry.streams != best->streams ? entry.streams == EntryPoint::Streams::kPerThread
                                                 : entry.version >= best->version);
    if (better) best = &entry;
  }
  if (best) why = CU_GET_PROC_ADDRESS_SUCCESS;
  return best ? best->function : nullptr;
}

}  // namespace roofline::sim::driver

using namespace roofline::sim;
using namespace roofline::sim::driver;

/// For libcuda.so.1, whose functions are jumps to these.
ROOFLINE_EXPORT void* roofline_driver_function(const char* name) { return exported(name); }

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t known =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !*symbol || !function || (flags & ~known) || flags == known) return CUDA_ERROR_INVALID_VALUE;
  const auto streams = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? EntryPoint::Streams::kPerThread
                                                                             : EntryPoint::Streams::kLegacy;
  CUdriverProcAddressQueryResult why{};
  *function = find(symbol, version, streams, why);
  if (status) *status = why;
  return CUDA_SUCCESS;
}
CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  const CUresult result = cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  return result == CUDA_SUCCESS && !*function ? CUDA_ERROR_NOT_FOUND : result;
}

namespace {

/// The file whose code is at an address.
std::string file_of(const void* code) {
  Dl_info info{};
  return dladdr(code, &info) && info.dli_fname ? info.dli_fname : "the program";
}

/// A CUDA runtime in `file` asks for the driver's private tables. NVRTC does, too, and can do without; the
/// audit library (audit/) has told of NVIDIA's other libraries.
void name_foreign_runtime(const std::string& file) {
  static std::mutex lock;
  static auto* const said = new std::set<std::string>;
  const std::string name = file.substr(file.rfind('/') + 1);
  if (name.starts_with("libnv") || name.starts_with("libcu")) return;
  const std::lock_guard guard(lock);
  if (said->insert(file).second)
    runtime::say(file +
                 " has the CUDA runtime linked in and no symbols: its calls of that runtime cannot be led to "
                 "the simulated GPU and fail");
}

}  // namespace

CUresult cuGetExportTable(const void** table, const CUuuid*) {
  name_foreign_runtime(file_of(__builtin_return_address(0)));
  if (table) *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
