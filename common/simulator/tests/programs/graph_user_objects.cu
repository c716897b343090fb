// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Resources that live as long as a graph needs them: reference-counted user objects.
#include <atomic>
#include <chrono>
#include <thread>

#include "expect.h"

static std::atomic<int> destroyed{0};
static void CUDART_CB destroy(void* data) { destroyed += *static_cast<int*>(data); }

/// The destructor may run a little later, in another thread.
static bool becomes(int expected) {
  for (int i = 0; i < 500 && destroyed != expected; i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return destroyed == expected;
}

int main() {
  int one = 1, ten = 10;
  cudaUserObject_t object, moved;
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaUserObjectCreate(&object, &one, destroy, 1, 0));  // the flag must be there
  OK(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
  OK(cudaUserObjectRetain(object, 2));
  OK(cudaUserObjectRelease(object, 2));
  EXPECT(destroyed == 0);

  cudaGraph_t graph, clone;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t node;
  OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  OK(cudaGraphRetainUserObject(graph, object, 1, 0));
  OK(cudaUserObjectRelease(object, 1));  // ours; the graph has its own
  OK(cudaUserObjectCreate(&moved, &ten, destroy, 1, cudaUserObjectNoDestructorSync));
  OK(cudaGraphRetainUserObject(graph, moved, 1, cudaGraphUserObjectMove));  // ours becomes the graph's
  EXPECT(destroyed == 0);

  OK(cudaGraphReleaseUserObject(graph, moved, 1));
  EXPECT(becomes(10));

  // A clone and an executable hold references too.
  cudaGraphExec_t exec;
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphInstantiate(&exec, clone, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(destroyed == 10);
  OK(cudaGraphExecDestroy(exec));
  EXPECT(becomes(11));
  return 0;
}
