// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/context.h"

#include <vector>

#include "simulator/driver/frame.h"
#include "simulator/driver/modules.h"
#include "simulator/driver/virtual_memory.h"

namespace roofline::sim::driver {

Contexts& Contexts::instance() {
  // Never destroyed: programs call CUDA from their own static destructors.
  static Contexts* const contexts = new Contexts;
  return *contexts;
}

Context& Contexts::create(int device, unsigned flags) {
  const std::lock_guard guard(lock_);
  auto context = std::make_unique<Context>(Context{device, false, flags, ++last_id_, 1});
  Context& made = *context;
  contexts_.emplace(&made, std::move(context));
  return made;
}

Context& Contexts::primary_of(int device) {
  const std::lock_guard guard(lock_);
  Context*& known = primary_[device];
  if (!known) {
    auto context = std::make_unique<Context>(Context{device, true, 0, ++last_id_, 0});
    known = context.get();
    contexts_.emplace(known, std::move(context));
  }
  return *known;
}

Context* Contexts::find(const void* handle) {
  const std::lock_guard guard(lock_);
  const auto found = contexts_.find(handle);
  return found == contexts_.end() ? nullptr : found->second.get();
}

void Contexts::forget(Context& context) {
  const std::lock_guard guard(lock_);
  contexts_.erase(&context);
}

bool Contexts::has_own(int device) {
  const std::lock_guard guard(lock_);
  for (const auto& [handle, context] : contexts_)
    if (!context->primary && context->device == device) return true;
  return false;
}

void Contexts::add(Context& context, Resource kind, u64 handle) {
  const std::lock_guard guard(lock_);
  context.resources[handle] = kind;
}

void Contexts::remove(u64 handle) {
  const std::lock_guard guard(lock_);
  for (const auto& [key, context] : contexts_)
    if (context->resources.erase(handle)) return;
}

Context* Contexts::owner_of(u64 handle) {
  const std::lock_guard guard(lock_);
  for (const auto& [key, context] : contexts_)
    if (context->resources.contains(handle)) return context.get();
  return nullptr;
}

std::map<u64, Resource> Contexts::take_resources(Context& context) {
  const std::lock_guard guard(lock_);
  return std::exchange(context.resources, {});
}

namespace {

/// What is below the current context. A context in it may have been destroyed.
std::vector<runtime::CurrentDevice>& below() {
  thread_local std::vector<runtime::CurrentDevice> contexts;
  return contexts;
}

/// After a fault nothing can be freed: the device is made as new, or stays as it is while others use it.
void free_resource(Resource kind, u64 handle) {
  void* const p = pointer(handle);
  switch (kind) {
    case Resource::kMemory:
      (void)cudaFree(p);
      break;
    case Resource::kOpenedMemory:  // as often as it was opened
      while (cudaIpcCloseMemHandle(p) == cudaSuccess) {
      }
      break;
    case Resource::kHostMemory:
      (void)cudaFreeHost(p);
      break;
    case Resource::kStream:
      (void)cudaStreamDestroy(static_cast<cudaStream_t>(p));
      break;
    case Resource::kEvent:
      (void)cudaEventDestroy(static_cast<cudaEvent_t>(p));
      break;
    case Resource::kModule:
      (void)unload(static_cast<CUmodule>(p));
      break;
    case Resource::kArray:
      (void)cudaFreeArray(static_cast<cudaArray_t>(p));
      break;
    case Resource::kMipmappedArray:
      (void)cudaFreeMipmappedArray(static_cast<cudaMipmappedArray_t>(p));
      break;
    case Resource::kTexture:
      (void)cudaDestroyTextureObject(handle);
      break;
    case Resource::kSurface:
      (void)cudaDestroySurfaceObject(handle);
      break;
  }
}

}  // namespace

Context* current_context() {
  const runtime::CurrentDevice& current = runtime::current_device();
  if (current.context) return const_cast<Context*>(static_cast<const Context*>(current.context));
  if (current.device < 0 && !current.used) return nullptr;
  return &Contexts::instance().primary_of(runtime::Runtime::instance().device_of_thread());
}

void set_current_context(Context* context) {
  runtime::current_device() =
      context ? runtime::CurrentDevice{context->device, context->primary ? nullptr : context, true}
              : runtime::CurrentDevice{};
}

void push_context(Context& context) {
  below().push_back(runtime::current_device());
  set_current_context(&context);
}

void pop_context() {
  runtime::CurrentDevice next;
  if (!below().empty()) {
    next = below().back();
    below().pop_back();
  }
  runtime::current_device() = next;
}

namespace {

/// With `context` current meanwhile. Once nothing uses the device it is made as new, as after a fault it must
/// be.
CUresult destroy(Context& context, bool forget) {
  const KeepsLastError keeps;
  const runtime::CurrentDevice before = runtime::current_device();
  set_current_context(&context);
  for (const auto& [handle, kind] : Contexts::instance().take_resources(context)) free_resource(kind, handle);
  const int device = context.device;
  if (forget) Contexts::instance().forget(context);
  const bool unused =
      !Contexts::instance().has_own(device) && Contexts::instance().primary_of(device).holders == 0;
  const cudaError_t error = runtime::locked([&](runtime::Runtime& r) {
    if (!unused || r.settings().active || !r.connected()) return cudaSuccess;
    if (has_reservations() && r.connection().sticky() == channel::Status::kOk) return cudaSuccess;
    r.reset();
    return cudaSuccess;
  });
  runtime::current_device() = before;
  return to_driver(error);
}

}  // namespace

CUresult destroy_resources(Context& context) { return destroy(context, false); }
CUresult destroy_context(Context& context) { return destroy(context, true); }

}  // namespace roofline::sim::driver
