// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Conditional nodes of graphs: IF with and without ELSE, WHILE, SWITCH, one inside another, a body that a
// stream captured, and what is refused. Kernels set the condition.
//
// nvcc: -rdc=true -lcudadevrt
#include <vector>

#include "expect.h"

using Handle = cudaGraphConditionalHandle;

__global__ void set(Handle handle, unsigned* value) { cudaGraphSetConditional(handle, *value); }
__global__ void add(int* sum, int n) { *sum += n; }
__global__ void count_down(Handle handle, int* left) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0 ? 1 : 0);
}
__global__ void begin_rounds(Handle handle, int* left, int rounds) {
  *left = rounds;
  cudaGraphSetConditional(handle, 1);
}

template <class... T>
cudaGraphNode_t add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void (*kernel)(T...),
                           T... given) {
  void* arguments[] = {&given...};
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = reinterpret_cast<void*>(kernel);
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  OK(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &p));
  return node;
}

cudaGraphNodeParams conditional(Handle handle, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphNodeParams p{};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  return p;
}

int read(const int* p) {
  int value = 0;
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

int main() {
  int *sum = nullptr, *left = nullptr;
  unsigned* chosen = nullptr;
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMalloc(&left, sizeof *left));
  OK(cudaMalloc(&chosen, sizeof *chosen));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const auto launch = [&](cudaGraphExec_t exec, unsigned value) {
    OK(cudaMemset(sum, 0, sizeof *sum));
    OK(cudaMemcpy(chosen, &value, sizeof value, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    return read(sum);
  };

  {  // IF and ELSE; what comes behind the node comes behind its bodies.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    Handle handle;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    const cudaGraphNode_t first = add_kernel(graph, {}, set, handle, chosen);
    cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeIf, 2);
    OK(cudaGraphAddNode(&node, graph, &first, nullptr, 1, &p));
    cudaGraphNodeType type{};
    OK(cudaGraphNodeGetType(node, &type));
    EXPECT(type == cudaGraphNodeTypeConditional);
    add_kernel(p.conditional.phGraph_out[0], {}, add, sum, 10);
    const cudaGraphNode_t once = add_kernel(p.conditional.phGraph_out[1], {}, add, sum, 200);
    add_kernel(p.conditional.phGraph_out[1], {once}, add, sum, 300);
    add_kernel(graph, {node}, add, sum, 1);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_VALUE(11, launch(exec, 7));
    EXPECT_VALUE(501, launch(exec, 0));
    OK(cudaGraphDestroy(graph));
    EXPECT_VALUE(11, launch(exec, 1));  // without the graph that it was made from
    OK(cudaGraphExecDestroy(exec));
  }
  {  // A default, given at each launch; no kernel sets it.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    Handle handle;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeIf, 1);
    OK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
    add_kernel(p.conditional.phGraph_out[0], {}, add, sum, 5);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_VALUE(5, launch(exec, 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
  }
  {  // An update: another handle, another default, another body.
    cudaGraph_t graphs[2];
    cudaGraphExec_t exec;
    for (int i = 0; i < 2; i++) {
      cudaGraphNode_t node;
      Handle handle;
      OK(cudaGraphCreate(&graphs[i], 0));
      OK(cudaGraphConditionalHandleCreate(&handle, graphs[i], i, cudaGraphCondAssignDefault));
      cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeIf, 2);
      OK(cudaGraphAddNode(&node, graphs[i], nullptr, nullptr, 0, &p));
      add_kernel(p.conditional.phGraph_out[0], {}, add, sum, 10 + i);
      add_kernel(p.conditional.phGraph_out[1], {}, add, sum, 20 + i);
    }
    OK(cudaGraphInstantiate(&exec, graphs[0], 0));
    EXPECT_VALUE(20, launch(exec, 0));
    cudaGraphExecUpdateResultInfo info{};
    OK(cudaGraphExecUpdate(exec, graphs[1], &info));
    EXPECT_VALUE(11, launch(exec, 0));
    OK(cudaGraphExecDestroy(exec));
    for (cudaGraph_t graph : graphs) OK(cudaGraphDestroy(graph));
  }
  {  // WHILE, in a SWITCH; its body is captured.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t choice, loop;
    Handle which, more;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&which, graph, 0, 0));
    const cudaGraphNode_t first = add_kernel(graph, {}, set, which, chosen);
    cudaGraphNodeParams p = conditional(which, cudaGraphCondTypeSwitch, 3);
    OK(cudaGraphAddNode(&choice, graph, &first, nullptr, 1, &p));
    add_kernel(p.conditional.phGraph_out[0], {}, add, sum, 1);
    add_kernel(p.conditional.phGraph_out[1], {}, add, sum, 2);
    cudaGraph_t rounds = p.conditional.phGraph_out[2];
    OK(cudaGraphConditionalHandleCreate(&more, rounds, 0, 0));
    const cudaGraphNode_t begin = add_kernel(rounds, {}, begin_rounds, more, left, 6);
    cudaGraphNodeParams q = conditional(more, cudaGraphCondTypeWhile, 1);
    OK(cudaGraphAddNode(&loop, rounds, &begin, nullptr, 1, &q));
    OK(cudaStreamBeginCaptureToGraph(stream, q.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                     cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum, 100);
    count_down<<<1, 1, 0, stream>>>(more, left);
    OK(cudaStreamEndCapture(stream, nullptr));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    EXPECT_VALUE(1, launch(exec, 0));
    EXPECT_VALUE(2, launch(exec, 1));
    EXPECT_VALUE(600, launch(exec, 2));
    EXPECT_VALUE(0, read(left));
    EXPECT_VALUE(0, launch(exec, 3));  // no such body
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
  }
  {  // What is refused.
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    Handle handle;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNodeParams p = conditional(handle, cudaGraphCondTypeWhile, 2);
    EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
    add_kernel(graph, {}, add, sum, 1);
    cudaGraphInstantiateParams report{};
    EXPECT(cudaGraphInstantiateWithParams(&exec, graph, &report) != cudaSuccess);
    EXPECT(report.result_out == cudaGraphInstantiateConditionalHandleUnused);
    OK(cudaGraphDestroy(graph));
  }
  OK(cudaStreamDestroy(stream));
  for (void* each : {static_cast<void*>(sum), static_cast<void*>(left), static_cast<void*>(chosen)})
    OK(cudaFree(each));
  return 0;
}
