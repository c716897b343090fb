// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/user_object.h"

#include <climits>

#include "simulator/runtime/graph.h"

namespace roofline::sim::runtime {
namespace {

std::unordered_set<const void*>& live_objects() {
  static auto* const live = new std::unordered_set<const void*>;
  return *live;
}

UserObject* find(cudaUserObject_t object) {
  return live_objects().contains(object) ? reinterpret_cast<UserObject*>(object) : nullptr;
}

bool is_count(unsigned count) { return count >= 1 && count <= INT_MAX; }

}  // namespace

void retain(UserObject* object, u64 count) { object->references += count; }

void release(UserObject* object, u64 count) {
  object->references -= std::min(object->references, count);
  if (object->references) return;
  live_objects().erase(object);
  LiveGraphs::instance().dead.push_back(object);
}

void destroy_dead_objects() {
  std::vector<UserObject*> dead;
  {
    std::lock_guard guard(Runtime::instance().lock);
    dead.swap(LiveGraphs::instance().dead);
  }
  for (UserObject* object : dead) {
    object->destroy(object->pointer);
    delete object;
  }
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer, cudaHostFn_t destroy,
                                 unsigned references, unsigned flags) {
  return api([&](Runtime&) {
    // The flag has to be given: it says that no CUDA call can wait for the destructor.
    if (!object || !destroy || !is_count(references) || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    auto* const made = new UserObject{pointer, destroy, references};
    live_objects().insert(made);
    *object = reinterpret_cast<cudaUserObject_t>(made);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return api([&](Runtime&) {
    UserObject* const found = find(object);
    if (!found || !is_count(count)) return cudaErrorInvalidValue;
    retain(found, count);
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return api_with_objects([&](Runtime&) {
    UserObject* const found = find(object);
    if (!found || !is_count(count) || count > found->references) return cudaErrorInvalidValue;
    release(found, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return api([&](Runtime&) {
    Graph* const holder = LiveGraphs::instance().find(graph);
    UserObject* const found = find(object);
    if (!holder || !found || !is_count(count) || (flags & ~unsigned{cudaGraphUserObjectMove}))
      return cudaErrorInvalidValue;
    // A moved reference stays the same in number: the caller's becomes the graph's.
    if (flags & cudaGraphUserObjectMove) {
      if (count > found->references) return cudaErrorInvalidValue;
    } else {
      retain(found, count);
    }
    holder->objects[found] += count;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  return api_with_objects([&](Runtime&) {
    Graph* const holder = LiveGraphs::instance().find(graph);
    UserObject* const found = find(object);
    if (!holder || !found || !is_count(count)) return cudaErrorInvalidValue;
    const auto held = holder->objects.find(found);
    if (held == holder->objects.end() || held->second < count) return cudaErrorInvalidValue;
    held->second -= count;
    if (held->second == 0) holder->objects.erase(held);
    release(found, count);
    return cudaSuccess;
  });
}
