// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: streams, events, host functions, stream-ordered memory, a captured and a built graph,
// libraries.
// nvcc: -lcuda
#include <vector>

#include "driver.h"

constexpr unsigned kCount = 256;

struct Saxpy {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr x = 0, y = 0;
  float a = 1;
  unsigned n = kCount;
  void* parameters[4] = {&x, &y, &a, &n};

  Saxpy() {
    DRIVER_OK(cuLibraryLoadData(&library, kSaxpy, nullptr, nullptr, 0, nullptr, nullptr, 0));
    DRIVER_OK(cuLibraryGetKernel(&kernel, library, "saxpy"));
    DRIVER_OK(cuKernelGetFunction(&function, kernel));
    DRIVER_OK(cuMemAlloc(&x, kCount * 4));
    DRIVER_OK(cuMemAlloc(&y, kCount * 4));
    DRIVER_OK(cuMemsetD32(x, 0x3f800000, kCount));  // 1.0f
    DRIVER_OK(cuMemsetD32(y, 0, kCount));
    DRIVER_OK(cuCtxSynchronize());  // streams that do not block would not wait for the fills
  }
  ~Saxpy() {
    DRIVER_OK(cuMemFree(x));
    DRIVER_OK(cuMemFree(y));
    DRIVER_OK(cuLibraryUnload(library));
  }
  void launch(CUstream stream) {
    DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, stream, parameters, nullptr));
  }
  float sum_of_y() const {
    std::vector<float> values(kCount);
    DRIVER_OK(cuMemcpyDtoH(values.data(), y, kCount * 4));
    float sum = 0;
    for (const float value : values) sum += value;
    return sum;
  }
};

static void CUDA_CB add_one(void* data) { ++*static_cast<int*>(data); }

static void events(Saxpy& saxpy) {
  CUstream one, two;
  CUevent begin, end;
  DRIVER_OK(cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuStreamCreateWithPriority(&two, CU_STREAM_NON_BLOCKING, 0));
  DRIVER_OK(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  DRIVER_OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  DRIVER_OK(cuEventRecord(begin, one));
  saxpy.launch(one);
  DRIVER_OK(cuEventRecord(end, one));
  DRIVER_OK(cuStreamWaitEvent(two, end, 0));
  saxpy.launch(two);
  int calls = 0;
  DRIVER_OK(cuLaunchHostFunc(two, add_one, &calls));
  DRIVER_OK(cuStreamSynchronize(two));
  EXPECT(calls == 1);
  DRIVER_OK(cuEventQuery(end));
  DRIVER_OK(cuStreamQuery(two));
  float milliseconds = -1;
  DRIVER_OK(cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds > 0);
  EXPECT(saxpy.sum_of_y() == 2 * kCount);
  CUdeviceptr p = 0;
  DRIVER_OK(cuMemAllocAsync(&p, 1024, one));
  DRIVER_OK(cuMemsetD8Async(p, 0, 1024, one));
  DRIVER_OK(cuMemFreeAsync(p, one));
  DRIVER_OK(cuStreamSynchronize(one));
  DRIVER_OK(cuEventDestroy(begin));
  DRIVER_OK(cuEventDestroy(end));
  DRIVER_OK(cuStreamDestroy(one));
  DRIVER_OK(cuStreamDestroy(two));
}

static void captured(Saxpy& saxpy) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVER_OK(cuMemsetD32Async(saxpy.y, 0, kCount, stream));
  saxpy.launch(stream);
  saxpy.launch(stream);
  DRIVER_OK(cuStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  DRIVER_OK(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; i++) DRIVER_OK(cuGraphLaunch(exec, stream));
  DRIVER_OK(cuStreamSynchronize(stream));
  EXPECT(saxpy.sum_of_y() == 2 * kCount);
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
  DRIVER_OK(cuStreamDestroy(stream));
}

static void built(Saxpy& saxpy) {
  CUcontext context;
  DRIVER_OK(cuCtxGetCurrent(&context));
  CUgraph graph;
  CUgraphNode fill, launch, copy;
  DRIVER_OK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS zeros{};
  zeros.dst = saxpy.y;
  zeros.elementSize = 4;
  zeros.width = kCount;
  zeros.height = 1;
  DRIVER_OK(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros, context));
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = saxpy.function;
  kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
  kernel.blockDimX = kCount;
  kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = saxpy.parameters;
  DRIVER_OK(cuGraphAddKernelNode(&launch, graph, &fill, 1, &kernel));
  std::vector<float> values(kCount);
  CUDA_MEMCPY3D out{};
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  out.srcDevice = saxpy.y;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = values.data();
  out.WidthInBytes = kCount * 4;
  out.Height = out.Depth = 1;
  DRIVER_OK(cuGraphAddMemcpyNode(&copy, graph, &launch, 1, &out, context));
  CUDA_KERNEL_NODE_PARAMS asked{};
  DRIVER_OK(cuGraphKernelNodeGetParams(launch, &asked));
  EXPECT(asked.blockDimX == kCount);
  CUgraphExec exec;
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  DRIVER_OK(cuCtxSynchronize());
  for (const float value : values) EXPECT(value == 1);
  saxpy.a = 5;
  DRIVER_OK(cuGraphExecKernelNodeSetParams(exec, launch, &kernel));
  DRIVER_OK(cuGraphLaunch(exec, nullptr));
  DRIVER_OK(cuCtxSynchronize());
  for (const float value : values) EXPECT(value == 5);
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  {
    Saxpy saxpy;
    events(saxpy);
    captured(saxpy);
    built(saxpy);
    // A library's kernel is launched by its own handle, too.
    DRIVER_OK(cuLaunchKernel(reinterpret_cast<CUfunction>(saxpy.kernel), 1, 1, 1, kCount, 1, 1, 0, nullptr,
                             saxpy.parameters, nullptr));
    DRIVER_OK(cuCtxSynchronize());
  }
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
