// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What a launch costs: empty and small kernels one after the other in a stream and in a graph, hops between
// streams.
#include "probe.h"

using namespace probe;

__global__ void empty() {}

__global__ void scale(double* to, const double* from, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 1.5 * from[i];
}

/// Microseconds a kernel in a chain of `nodes`: launched one by one, and as a graph that the same stream
/// captured.
template <typename Launch>
void chain(const std::string& what, Launch launch, int nodes = 1000) {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const double each = seconds([&] { launch(stream); }, nodes, stream);
  report(what + key("mode", "stream"), each * 1e6, "us");
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < nodes; ++i) launch(stream);
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&ready, graph, 0));
  const double whole = seconds([&] { OK(cudaGraphLaunch(ready, stream)); }, 1, stream);
  report(what + key("mode", "graph"), whole * 1e6 / nodes, "us");
  OK(cudaGraphExecDestroy(ready));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(stream));
}

void host_side() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const auto wait = [&] { OK(cudaStreamSynchronize(stream)); };
  wait();
  report("host call=null-and-wait", host_seconds([&] {
                                      empty<<<1, 32, 0, stream>>>();
                                      wait();
                                    }) * 1e6,
         "us");
  report("host call=idle-synchronize", host_seconds(wait) * 1e6, "us");
  constexpr int kCalls = 500;
  report("host call=launch",
         host_seconds([&] {
           for (int i = 0; i < kCalls; ++i) {
             empty<<<1, 32, 0, stream>>>();
           }
         }) * 1e6 /
             kCalls,
         "us");
  wait();
  cudaEvent_t event;
  OK(cudaEventCreate(&event));
  report("host call=record",
         host_seconds([&] {
           for (int i = 0; i < kCalls; ++i) OK(cudaEventRecord(event, stream));
         }) * 1e6 /
             kCalls,
         "us");
  wait();
  for (const int nodes : {1, 10, 100, 1000}) {
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < nodes; ++i) empty<<<1, 32, 0, stream>>>();
    OK(cudaStreamEndCapture(stream, &graph));
    report("host call=instantiate" + key("nodes", nodes), host_seconds([&] {
                                                            OK(cudaGraphInstantiate(&ready, graph, 0));
                                                            OK(cudaGraphExecDestroy(ready));
                                                          }) * 1e6,
           "us");
    OK(cudaGraphInstantiate(&ready, graph, 0));
    OK(cudaGraphLaunch(ready, stream));
    wait();
    report("host call=graph-and-wait" + key("nodes", nodes), host_seconds([&] {
                                                               OK(cudaGraphLaunch(ready, stream));
                                                               wait();
                                                             }) * 1e6,
           "us");
    report("host call=graph-launch" + key("nodes", nodes),
           host_seconds([&] { OK(cudaGraphLaunch(ready, stream)); }) * 1e6, "us");
    wait();
    report("graph" + key("nodes", nodes),
           seconds([&] { OK(cudaGraphLaunch(ready, stream)); }, 20, stream) * 1e6, "us");
    OK(cudaGraphExecDestroy(ready));
    OK(cudaGraphDestroy(graph));
  }
  OK(cudaEventDestroy(event));
  OK(cudaStreamDestroy(stream));
}

/// Two streams that wait for each other in turns: microseconds from a kernel to the next one in the other
/// stream.
void hops() {
  cudaStream_t streams[2];
  cudaEvent_t events[2];
  for (int i = 0; i < 2; ++i) {
    OK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
  }
  const double two = seconds(
      [&] {
        for (int i = 0; i < 2; ++i) {
          empty<<<1, 32, 0, streams[i]>>>();
          OK(cudaEventRecord(events[i], streams[i]));
          OK(cudaStreamWaitEvent(streams[1 - i], events[i], 0));
        }
      },
      200, streams[0]);
  report("hop", two * 1e6 / 2, "us");
}

int main() {
  const int sms = device().multiProcessorCount;
  for (const auto& [blocks, threads] :
       {std::pair{1, 32}, {1, 1024}, {sms, 256}, {8 * sms, 256}, {32 * sms, 256}, {8192, 256}})
    chain("empty" + key("blocks", blocks) + key("threads", threads),
          [&](cudaStream_t s) { empty<<<blocks, threads, 0, s>>>(); });
  // What a block costs by its size, where there are many more than fit.
  for (const int threads : {32, 64, 128, 256, 512, 1024})
    chain(
        "empty" + key("blocks", 65536) + key("threads", threads),
        [&](cudaStream_t s) { empty<<<65536, threads, 0, s>>>(); }, 20);
  for (const int kib : {64, 256, 1024, 4096, 8192, 16384, 65536}) {
    const int n = kib * 1024 / 16;
    const Array<double> to(n), from(n);
    chain("small-kernel" + key("KiB", kib),
          [&](cudaStream_t s) { scale<<<n / 256, 256, 0, s>>>(to, from, n); });
  }
  hops();
  host_side();
}
