// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two processes with CUDA: the parent uses it first. Words say more: both (the parent launches a kernel,
// too), free (the child frees what is the parent's), fault, outlive (the parent does not wait for the child).
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void of_parent(int* p) { *p = 1; }
__global__ void of_child(int* p) { *p = 2; }

static bool has(char** words, const char* word) {
  while (*words != nullptr)
    if (std::strcmp(*words++, word) == 0) return true;
  return false;
}

static void child(int parent, char** words) {
  cudaIpcMemHandle_t handle;
  if (read(parent, &handle, sizeof handle) != sizeof handle) std::_Exit(3);
  int* p = nullptr;
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  std::printf("%zu MiB\n", total >> 20);
  if (has(words, "outlive")) {
    cudaMalloc(&p, sizeof *p);
    if (write(parent, "", 1) != 1) std::_Exit(3);
    usleep(300'000);
  } else {
    cudaIpcOpenMemHandle((void**)&p, handle, cudaIpcMemLazyEnablePeerAccess);
  }
  of_child<<<1, 1>>>(has(words, "fault") ? nullptr : p);
  cudaDeviceSynchronize();
  if (has(words, "free")) std::printf("%s\n", cudaGetErrorName(cudaFree(p)));
}

int main(int, char** words) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) return 3;
  const pid_t other = fork();
  if (other == 0) {
    child(ends[0], words);
    std::exit(0);
  }
  int* p;
  char word;
  cudaMalloc(&p, sizeof *p);
  if (has(words, "both")) of_parent<<<1, 1>>>(p);
  cudaIpcMemHandle_t handle;
  cudaIpcGetMemHandle(&handle, p);
  cudaDeviceSynchronize();
  if (write(ends[1], &handle, sizeof handle) != sizeof handle) return 3;
  if (has(words, "outlive")) return read(ends[1], &word, 1) == 1 ? 0 : 3;
  waitpid(other, nullptr, 0);
  return 0;
}
