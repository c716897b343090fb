// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A graph written as text for Graphviz: structure by default, parameters on demand.
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "expect.h"

__global__ void named_kernel(int* p) { *p = 1; }

static std::string print(cudaGraph_t graph, unsigned flags) {
  char path[] = "/tmp/graph-dot-XXXXXX";
  close(mkstemp(path));
  OK(cudaGraphDebugDotPrint(graph, path, flags));
  std::ifstream in(path);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  unlink(path);
  return text;
}

static bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, sizeof(int)));
  int host = 0;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(p, 0, sizeof(int), stream));
  named_kernel<<<3, 64, 0, stream>>>(p);
  OK(cudaMemcpyAsync(&host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));

  const std::string brief = print(graph, 0), full = print(graph, cudaGraphDebugDotFlagsVerbose);
  EXPECT(brief.rfind("digraph", 0) == 0);
  EXPECT(contains(brief, "named_kernel") && contains(brief, "->"));
  EXPECT(contains(brief, "MEMSET") && contains(brief, "MEMCPY"));
  EXPECT(full.size() > brief.size());
  // The launch as CUDA writes it, brackets escaped for Graphviz: kernel<<<3,64,0>>>.
  const bool has_launch = contains(full, "named_kernel") && contains(full, R"(\<\<\<3,64,0\>\>\>)");
  if (!has_launch) std::fprintf(stderr, "%s\n", full.c_str());
  EXPECT(has_launch);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphDebugDotPrint(graph, nullptr, 0));
  EXPECT(cudaGraphDebugDotPrint(graph, "/nonexistent/graph.dot", 0) != cudaSuccess);
  OK(cudaGraphDestroy(graph));
  return 0;
}
