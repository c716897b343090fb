// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The driver API: a conditional node whose condition has a default, with a fill in each of its bodies.
// nvcc: -lcuda
#include "driver.h"

void add_fill(CUcontext context, CUgraph graph, CUdeviceptr to, unsigned value) {
  CUgraphNodeParams p{};
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;
  p.memset.dst = to;
  p.memset.value = value;
  p.memset.elementSize = 4;
  p.memset.width = p.memset.height = 1;
  p.memset.ctx = context;
  CUgraphNode node;
  DRIVER_OK(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
}

unsigned filled(CUcontext context, unsigned condition) {
  CUdeviceptr memory = 0;
  DRIVER_OK(cuMemAlloc(&memory, 4));
  DRIVER_OK(cuMemsetD32(memory, 0, 1));
  CUgraph graph;
  CUgraphConditionalHandle handle;
  DRIVER_OK(cuGraphCreate(&graph, 0));
  DRIVER_OK(cuGraphConditionalHandleCreate(&handle, graph, context, condition, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams p{};
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.handle = handle;
  p.conditional.type = CU_GRAPH_COND_TYPE_IF;
  p.conditional.size = 2;
  p.conditional.ctx = context;
  CUgraphNode node;
  DRIVER_OK(cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
  add_fill(context, p.conditional.phGraph_out[0], memory, 11);
  add_fill(context, p.conditional.phGraph_out[1], memory, 22);
  CUgraphExec exec;
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  unsigned value = 0;
  DRIVER_OK(cuMemcpyDtoH(&value, memory, sizeof value));
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
  DRIVER_OK(cuMemFree(memory));
  return value;
}

int main() {
  CUdevice device;
  CUcontext context;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuDeviceGet(&device, 0));
  DRIVER_OK(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER_OK(cuCtxSetCurrent(context));
  EXPECT_VALUE(11, filled(context, 1));
  EXPECT_VALUE(22, filled(context, 0));
  DRIVER_OK(cuDevicePrimaryCtxRelease(device));
  return 0;
}
