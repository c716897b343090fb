// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: streams that wait for a word of memory and write one, which host code, kernels and other
// streams write too; batches of such operations, in streams, in graphs and captured.
// nvcc: -lcuda
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "driver.h"

__global__ void work_and_raise(volatile unsigned* flag, unsigned value, int* data, int rounds) {
  float x = 1;
  for (int i = 0; i < rounds; i++) x = x * 1.000001f + 0.5f;
  *data += x > 0 ? 1 : 2;
  __threadfence_system();
  *flag = value;
}
__global__ void take(const int* data, int* to) { *to = *data; }
__global__ void add(int* x, int value) { *x += value; }

struct Words {
  CUstream a, b;
  volatile unsigned* host = nullptr;  // pinned
  CUdeviceptr pinned = 0, word = 0;   // four words each
  int *data = nullptr, *taken = nullptr;

  Words() {
    DRIVER_OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    DRIVER_OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    void* p = nullptr;
    DRIVER_OK(cuMemHostAlloc(&p, 16, CU_MEMHOSTALLOC_DEVICEMAP));
    DRIVER_OK(cuMemHostGetDevicePointer(&pinned, p, 0));
    host = static_cast<volatile unsigned*>(p);
    DRIVER_OK(cuMemAlloc(&word, 16));
    OK(cudaMalloc(&data, 4));
    OK(cudaMalloc(&taken, 4));
    clear();
    // Kernels are loaded before anything waits: on a GPU loading may wait for all that is queued.
    work_and_raise<<<1, 1>>>(reinterpret_cast<unsigned*>(word), 0, data, 1);
    take<<<1, 1>>>(data, taken);
    add<<<1, 1>>>(data, 0);
    clear();
  }
  ~Words() {
    DRIVER_OK(cuStreamDestroy(a));
    DRIVER_OK(cuStreamDestroy(b));
    DRIVER_OK(cuMemFree(word));
    DRIVER_OK(cuMemFreeHost(const_cast<unsigned*>(host)));
    OK(cudaFree(data));
    OK(cudaFree(taken));
  }
  void clear() {
    for (int i = 0; i < 4; i++) host[i] = 0;
    DRIVER_OK(cuMemsetD32(word, 0, 4));
    OK(cudaMemset(data, 0, 4));
    OK(cudaMemset(taken, 0, 4));
    OK(cudaDeviceSynchronize());
  }
  int value_of(const int* p) {
    int value = 0;
    OK(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
  }
};

void host_ends_waits(Words& w) {
  w.clear();
  DRIVER_OK(cuStreamWaitValue32(w.a, w.pinned, 5, CU_STREAM_WAIT_VALUE_EQ));
  add<<<1, 1, 0, w.a>>>(w.data, 7);
  CUevent after;
  DRIVER_OK(cuEventCreate(&after, CU_EVENT_DISABLE_TIMING));
  DRIVER_OK(cuEventRecord(after, w.a));
  DRIVER_OK(cuStreamWaitEvent(w.b, after, 0));
  add<<<1, 1, 0, w.b>>>(w.data, 100);
  EXPECT_DRIVER(CUDA_ERROR_NOT_READY, cuStreamQuery(w.a));
  EXPECT_DRIVER(CUDA_ERROR_NOT_READY, cuStreamQuery(w.b));
  EXPECT_DRIVER(CUDA_ERROR_NOT_READY, cuEventQuery(after));
  w.host[0] = 4;
  usleep(1000);
  EXPECT_DRIVER(CUDA_ERROR_NOT_READY, cuStreamQuery(w.a));
  EXPECT_VALUE(0, w.value_of(w.data));
  w.host[0] = 5;
  DRIVER_OK(cuStreamSynchronize(w.b));
  EXPECT_VALUE(107, w.value_of(w.data));

  // A thread that waits in a call, and another one that ends it.
  w.clear();
  DRIVER_OK(cuStreamWaitValue64(w.a, w.pinned + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_GEQ));
  add<<<1, 1, 0, w.a>>>(w.data, 1);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    *reinterpret_cast<volatile unsigned long long*>(w.host + 2) = (1ull << 40) + 3;
  });
  DRIVER_OK(cuStreamSynchronize(w.a));
  EXPECT_VALUE(1, w.value_of(w.data));
  other.join();

  // A host function in another stream.
  w.clear();
  DRIVER_OK(cuStreamWaitValue32(w.a, w.pinned, 1, CU_STREAM_WAIT_VALUE_GEQ));
  DRIVER_OK(cuLaunchHostFunc(
      w.b, [](void* flag) { *static_cast<volatile unsigned*>(flag) = 2; }, const_cast<unsigned*>(w.host)));
  DRIVER_OK(cuStreamSynchronize(w.a));
  DRIVER_OK(cuStreamSynchronize(w.b));
  DRIVER_OK(cuEventDestroy(after));
}

/// The work behind a wait begins when the kernel that ends the wait has.
void kernel_ends_waits(Words& w) {
  w.clear();
  CUevent begin, seen, end;
  for (CUevent* each : {&begin, &seen, &end}) DRIVER_OK(cuEventCreate(each, CU_EVENT_DEFAULT));
  auto* const flag = reinterpret_cast<unsigned*>(w.word);
  for (unsigned round = 1; round <= 3; round++) {
    // The wait comes first in one round, the kernel in another.
    if (round != 2) DRIVER_OK(cuStreamWaitValue32(w.a, w.word, round, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER_OK(cuEventRecord(begin, w.b));
    work_and_raise<<<1, 1, 0, w.b>>>(flag, round, w.data, 200000);
    DRIVER_OK(cuEventRecord(end, w.b));
    if (round == 2) DRIVER_OK(cuStreamWaitValue32(w.a, w.word, round, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER_OK(cuEventRecord(seen, w.a));
    take<<<1, 1, 0, w.a>>>(w.data, w.taken);
    DRIVER_OK(cuStreamSynchronize(w.a));
    EXPECT_VALUE(round, w.value_of(w.taken));
    DRIVER_OK(cuStreamSynchronize(w.b));
    float all = 0, until_seen = 0;
    DRIVER_OK(cuEventElapsedTime(&all, begin, end));
    DRIVER_OK(cuEventElapsedTime(&until_seen, begin, seen));
    EXPECT(all > 0.05f);
    EXPECT(until_seen > 0.9f * all && until_seen < 1.5f * all);
  }
  for (CUevent each : {begin, seen, end}) DRIVER_OK(cuEventDestroy(each));
}

/// Two streams that take turns, submitted one after the other.
void streams_take_turns(Words& w) {
  w.clear();
  constexpr unsigned kTurns = 5;
  for (unsigned turn = 0; turn < kTurns; turn++) {
    DRIVER_OK(cuStreamWaitValue32(w.a, w.word, 2 * turn + 1, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, 1, 0, w.a>>>(w.data, 1);
    DRIVER_OK(cuStreamWriteValue32(w.a, w.word, 2 * turn + 2, CU_STREAM_WRITE_VALUE_DEFAULT));
  }
  for (unsigned turn = 0; turn < kTurns; turn++) {
    DRIVER_OK(cuStreamWriteValue32(w.b, w.word, 2 * turn + 1, CU_STREAM_WRITE_VALUE_DEFAULT));
    DRIVER_OK(cuStreamWaitValue32(w.b, w.word, 2 * turn + 2, CU_STREAM_WAIT_VALUE_EQ));
    add<<<1, 1, 0, w.b>>>(w.data, 10);
  }
  DRIVER_OK(cuStreamSynchronize(w.b));
  EXPECT_VALUE(kTurns * 11, w.value_of(w.data));

  // What the device writes the host sees.
  DRIVER_OK(cuStreamWriteValue64(w.a, w.pinned, 0x100000002ull, CU_STREAM_WRITE_VALUE_DEFAULT));
  DRIVER_OK(cuStreamSynchronize(w.a));
  EXPECT_VALUE(2, w.host[0]);
  EXPECT_VALUE(1, w.host[1]);
}

void conditions(Words& w) {
  struct Case {
    unsigned word, value, flags;
    bool accepted;
  };
  for (const Case& c :
       {Case{7, 7, CU_STREAM_WAIT_VALUE_GEQ, true}, Case{6, 7, CU_STREAM_WAIT_VALUE_GEQ, false},
        Case{1, 0xffffffff, CU_STREAM_WAIT_VALUE_GEQ, true},  // cyclic
        Case{0xffffffff, 1, CU_STREAM_WAIT_VALUE_GEQ, false}, Case{8, 7, CU_STREAM_WAIT_VALUE_EQ, false},
        Case{6, 3, CU_STREAM_WAIT_VALUE_AND, true}, Case{4, 3, CU_STREAM_WAIT_VALUE_AND, false},
        Case{0xf0, 0xf, CU_STREAM_WAIT_VALUE_NOR, true},
        Case{0xfffffff0, 0xf, CU_STREAM_WAIT_VALUE_NOR, false}}) {
    w.clear();
    w.host[0] = c.word;
    DRIVER_OK(cuStreamWaitValue32(w.a, w.pinned, c.value, c.flags));
    usleep(1000);
    EXPECT_DRIVER(c.accepted ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY, cuStreamQuery(w.a));
    if (c.accepted) continue;
    w.host[0] = c.flags == CU_STREAM_WAIT_VALUE_NOR ? 0 : c.value;
    DRIVER_OK(cuStreamSynchronize(w.a));
  }
}

CUstreamBatchMemOpParams wait_for(CUdeviceptr address, unsigned value) {
  CUstreamBatchMemOpParams p{};
  p.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  p.waitValue.address = address;
  p.waitValue.value = value;
  p.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  return p;
}
CUstreamBatchMemOpParams write_to(CUdeviceptr address, unsigned value) {
  CUstreamBatchMemOpParams p{};
  p.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  p.writeValue.address = address;
  p.writeValue.value = value;
  return p;
}

void batches(Words& w) {
  w.clear();
  CUstreamBatchMemOpParams barrier{};
  barrier.operation = CU_STREAM_MEM_OP_BARRIER;
  barrier.memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_SYS;
  std::vector list{write_to(w.pinned, 3), barrier, wait_for(w.pinned + 4, 1), write_to(w.pinned + 8, 9)};
  DRIVER_OK(cuStreamBatchMemOp(w.a, static_cast<unsigned>(list.size()), list.data(), 0));
  while (w.host[0] != 3) usleep(100);
  EXPECT_VALUE(0, w.host[2]);
  EXPECT_DRIVER(CUDA_ERROR_NOT_READY, cuStreamQuery(w.a));
  w.host[1] = 1;
  DRIVER_OK(cuStreamSynchronize(w.a));
  EXPECT_VALUE(9, w.host[2]);
}

void graphs(Words& w) {
  CUgraph graph;
  CUgraphNode node, same;
  DRIVER_OK(cuGraphCreate(&graph, 0));
  std::vector list{wait_for(w.pinned, 1), write_to(w.word, 6)};
  CUcontext context;
  DRIVER_OK(cuCtxGetCurrent(&context));
  CUDA_BATCH_MEM_OP_NODE_PARAMS p{context, 2, list.data(), 0};
  DRIVER_OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &p));
  CUgraphNodeType type;
  DRIVER_OK(cuGraphNodeGetType(node, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  CUDA_BATCH_MEM_OP_NODE_PARAMS got{};
  DRIVER_OK(cuGraphBatchMemOpNodeGetParams(node, &got));
  EXPECT_VALUE(2, got.count);
  EXPECT(got.paramArray[1].writeValue.address == w.word && got.paramArray[1].writeValue.value == 6);
  list[1].writeValue.value = 7;
  DRIVER_OK(cuGraphBatchMemOpNodeSetParams(node, &p));
  CUgraphNodeParams any{};
  any.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  std::vector last{write_to(w.pinned + 4, 8)};
  any.memOp = {context, 1, last.data(), 0};
  DRIVER_OK(cuGraphAddNode(&same, graph, &node, nullptr, 1, &any));

  CUgraphExec exec;
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  for (unsigned value : {7u, 11u}) {
    w.clear();
    if (value == 11) {
      list[1].writeValue.value = value;
      DRIVER_OK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &p));
    }
    DRIVER_OK(cuGraphLaunch(exec, w.a));
    add<<<1, 1, 0, w.a>>>(w.data, 1);
    EXPECT_DRIVER(CUDA_ERROR_NOT_READY, cuStreamQuery(w.a));
    EXPECT_VALUE(0, w.value_of(w.data));
    EXPECT_VALUE(0, w.host[1]);
    w.host[0] = 1;
    DRIVER_OK(cuStreamSynchronize(w.a));
    EXPECT_VALUE(1, w.value_of(w.data));
    EXPECT_VALUE(8, w.host[1]);
    EXPECT_VALUE(value, w.value_of(reinterpret_cast<int*>(w.word)));
  }
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));

  // Captured: a stream in the graph waits for a value that the same graph writes.
  w.clear();
  DRIVER_OK(cuStreamBeginCapture(w.a, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  DRIVER_OK(cuStreamWriteValue32(w.a, w.word, 1, 0));
  add<<<1, 1, 0, w.a>>>(w.data, 1);
  DRIVER_OK(cuStreamWaitValue32(w.a, w.word, 1, CU_STREAM_WAIT_VALUE_EQ));
  add<<<1, 1, 0, w.a>>>(w.data, 1);
  DRIVER_OK(cuStreamEndCapture(w.a, &graph));
  size_t n = 0;
  DRIVER_OK(cuGraphGetNodes(graph, nullptr, &n));
  EXPECT_VALUE(4, n);
  DRIVER_OK(cuGraphInstantiate(&exec, graph, 0));
  DRIVER_OK(cuGraphLaunch(exec, w.a));
  DRIVER_OK(cuStreamSynchronize(w.a));
  EXPECT_VALUE(2, w.value_of(w.data));
  DRIVER_OK(cuGraphExecDestroy(exec));
  DRIVER_OK(cuGraphDestroy(graph));
}

int main() {
  alarm(120);
  DRIVER_OK(cuInit(0));
  OK(cudaSetDevice(0));
  OK(cudaFree(nullptr));
  int able = 0;
  DRIVER_OK(cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
  EXPECT_VALUE(1, able);
  DRIVER_OK(cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 0));
  EXPECT_VALUE(1, able);
  {
    Words w;
    host_ends_waits(w);
    kernel_ends_waits(w);
    streams_take_turns(w);
    conditions(w);
    batches(w);
    graphs(w);
  }
  OK(cudaDeviceSynchronize());
  return 0;
}
