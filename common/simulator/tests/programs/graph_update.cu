// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A whole executable graph takes the parameters of a newly captured one, if both have the same shape.
#include "expect.h"

__global__ void add(int* p, int value) { *p += value; }
__global__ void multiply(int* p, int value) { *p *= value; }

static int* p = nullptr;
static cudaStream_t stream;

/// Captures what `work` puts into the stream.
template <class Work>
cudaGraph_t captured(Work work) {
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  work();
  OK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

static cudaGraphExecUpdateResult update(cudaGraphExec_t exec, cudaGraph_t graph, cudaError_t expected) {
  cudaGraphExecUpdateResultInfo info = {};
  EXPECT_RESULT(expected, cudaGraphExecUpdate(exec, graph, &info));
  cudaGetLastError();
  OK(cudaGraphDestroy(graph));
  return info.result;
}

static int run(cudaGraphExec_t exec) {
  int value = 0;
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  return value;
}

int main() {
  OK(cudaMalloc(&p, 8 * sizeof(int)));
  OK(cudaStreamCreate(&stream));
  const cudaGraph_t graph = captured([] {
    cudaMemsetAsync(p, 0, sizeof(int), stream);
    add<<<1, 1, 0, stream>>>(p, 3);
    add<<<1, 1, 0, stream>>>(p, 4);
  });
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(run(exec) == 7);

  EXPECT(update(exec, captured([] {
                  cudaMemsetAsync(p, 0, sizeof(int), stream);
                  add<<<1, 1, 0, stream>>>(p, 30);
                  multiply<<<1, 1, 0, stream>>>(p, 4);
                }),
                cudaSuccess) == cudaGraphExecUpdateSuccess);
  EXPECT(run(exec) == 120);

  // A node more: another topology. A node of another type. Neither changes anything.
  EXPECT(update(exec, captured([] {
                  cudaMemsetAsync(p, 0, sizeof(int), stream);
                  for (int i = 0; i < 3; i++) add<<<1, 1, 0, stream>>>(p, 1);
                }),
                cudaErrorGraphExecUpdateFailure) == cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT(update(exec, captured([] {
                  cudaMemsetAsync(p, 0, sizeof(int), stream);
                  add<<<1, 1, 0, stream>>>(p, 1);
                  cudaMemsetAsync(p, 0, sizeof(int), stream);
                }),
                cudaErrorGraphExecUpdateFailure) == cudaGraphExecUpdateErrorNodeTypeChanged);
  EXPECT(run(exec) == 120);

  // The shape of a two-dimensional fill is fixed.
  const cudaGraph_t rows = captured([] { cudaMemset2DAsync(p, 16, 1, 4, 2, stream); });
  cudaGraphExec_t fill;
  OK(cudaGraphInstantiate(&fill, rows, 0));
  EXPECT(run(fill) == 0x01010101);
  EXPECT(update(fill, captured([] { cudaMemset2DAsync(p, 16, 2, 4, 2, stream); }), cudaSuccess) ==
         cudaGraphExecUpdateSuccess);
  EXPECT(run(fill) == 0x02020202);
  EXPECT(update(fill, captured([] { cudaMemset2DAsync(p, 16, 3, 8, 2, stream); }),
                cudaErrorGraphExecUpdateFailure) == cudaGraphExecUpdateErrorParametersChanged);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, nullptr, nullptr));
  OK(cudaGraphExecDestroy(fill));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(rows));
  OK(cudaGraphDestroy(graph));
  return 0;
}
