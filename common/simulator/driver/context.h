// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "simulator/driver/cuda.h"
#include "simulator/types.h"

namespace roofline::sim::driver {

/// What a context frees when it is destroyed.
enum class Resource {
  kMemory,
  kOpenedMemory,  ///< of another process
  kHostMemory,
  kStream,
  kEvent,
  kModule,
  kArray,
  kMipmappedArray,
  kTexture,
  kSurface
};

/// What a CUcontext points to. The machine knows none: all contexts of a device share its memory and its
/// default streams, and each only remembers what was made in it.
struct Context {
  int device = 0;
  bool primary = false;
  unsigned flags = 0;
  u64 id = 0;
  int holders = 0;  ///< of a primary context: cuDevicePrimaryCtxRetain; of another: 1, and cuCtxAttach
  std::map<u64, Resource> resources = {};  ///< by handle or address
};

/// All contexts of the process. Its lock is never held while the runtime is called.
class Contexts {
 public:
  static Contexts& instance();

  bool initialised = false;  ///< cuInit
  Context& primary_of(int device);
  Context& create(int device, unsigned flags);
  /// nullptr when the handle is none, or of a context that was destroyed.
  Context* find(const void* handle);
  void forget(Context& context);
  /// A context of the device, other than its primary one, is alive.
  bool has_own(int device);

  void add(Context& context, Resource kind, u64 handle);
  void remove(u64 handle);
  /// The context that something was made in; nullptr where the runtime made it.
  Context* owner_of(u64 handle);
  std::map<u64, Resource> take_resources(Context& context);

 private:
  std::mutex lock_;
  std::map<const void*, std::unique_ptr<Context>> contexts_;
  std::map<int, Context*> primary_;
  u64 last_id_ = 0;
};

inline CUcontext handle_of(Context* context) { return reinterpret_cast<CUcontext>(context); }

/// This thread's current context; nullptr: none. It may have been destroyed meanwhile.
Context* current_context();
void set_current_context(Context* context);
/// The thread's stack of contexts, of which the current one is the top.
void push_context(Context& context);
void pop_context();

/// Frees what was made in a context; when it was the last one on its device, the device is as new.
CUresult destroy_resources(Context& context);
/// The same, and the context itself, which is not the primary one.
CUresult destroy_context(Context& context);

}  // namespace roofline::sim::driver
