// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

/// What a cudaUserObject_t points to: something of the program that graphs keep alive. Counts live under the
/// runtime's lock; the program's destructor runs without it.
struct UserObject {
  void* pointer = nullptr;
  cudaHostFn_t destroy = nullptr;
  u64 references = 0;
};

void retain(UserObject* object, u64 count);
void release(UserObject* object, u64 count);
/// Calls the destructors of objects whose last reference went; without the lock.
void destroy_dead_objects();

/// api() for functions that may let go of user objects.
template <class Body>
cudaError_t api_with_objects(Body&& body) {
  const cudaError_t error = api(std::forward<Body>(body));
  destroy_dead_objects();
  return error;
}

}  // namespace roofline::sim::runtime
