// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/gpu_probe.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

namespace roofline::grader {
namespace {

constexpr int kDeadlineMs = 30'000;  // a first contact with a driver that is not loaded yet takes seconds
constexpr int kMostGpus = 16;

struct Record {
  int library, driver, error, count;
  char path[512];  // of the library
  struct {
    char name[128];
    int capability;
    unsigned long long memory;
  } gpus[kMostGpus];
};

// The few calls of the driver's interface that we need; it has been stable since CUDA 3.
using Init = int (*)(unsigned);
using Number = int (*)(int*);
using Name = int (*)(char*, int, int);
using Attribute = int (*)(int*, int, int);
using Memory = int (*)(size_t*, int);
constexpr int kMajor = 75, kMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR

template <class F>
F symbol(void* library, const char* name) {
  return reinterpret_cast<F>(dlsym(library, name));
}

Record ask() {
  Record record{};
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) return record;
  record.library = 1;
  const link_map* loaded = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &loaded) == 0 && loaded)
    std::snprintf(record.path, sizeof record.path, "%s", loaded->l_name);
  const auto init = symbol<Init>(library, "cuInit");
  const auto version = symbol<Number>(library, "cuDriverGetVersion");
  const auto count = symbol<Number>(library, "cuDeviceGetCount");
  const auto name = symbol<Name>(library, "cuDeviceGetName");
  const auto attribute = symbol<Attribute>(library, "cuDeviceGetAttribute");
  const auto memory = symbol<Memory>(library, "cuDeviceTotalMem_v2");
  record.error = -1;
  if (!init || !version || !count || !name || !attribute || !memory) return record;
  version(&record.driver);
  record.error = init(0);
  if (record.error == 0) record.error = count(&record.count);
  if (record.error != 0) record.count = 0;
  if (record.count > kMostGpus) record.count = kMostGpus;
  for (int i = 0; i < record.count; ++i) {
    int major = 0, minor = 0;
    size_t bytes = 0;
    name(record.gpus[i].name, sizeof record.gpus[i].name - 1, i);
    attribute(&major, kMajor, i);
    attribute(&minor, kMinor, i);
    memory(&bytes, i);
    record.gpus[i].capability = 10 * major + minor;
    record.gpus[i].memory = bytes;
  }
  return record;
}

std::string explain(int error) {
  switch (error) {
    case 100:
      return "the driver sees no GPU";
    case 802:
      return "the driver is not ready yet";
    case 803:
      return "the driver's library does not match its kernel module";
    case 999:
      return "the driver reports an unknown error";
    default:
      return "the driver reports error " + std::to_string(error);
  }
}

GpuProbe probe() {
  GpuProbe result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return result;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const Record record = ask();
    const ssize_t written = write(ends[1], &record, sizeof record);
    _exit(written == sizeof record ? 0 : 1);
  }
  close(ends[1]);
  Record record{};
  pollfd watched{ends[0], POLLIN, 0};
  const bool answered = child > 0 && poll(&watched, 1, kDeadlineMs) == 1 &&
                        read(ends[0], &record, sizeof record) == static_cast<ssize_t>(sizeof record);
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (!answered) {
    result.library = true;
    result.problem = "the driver did not answer";
    return result;
  }
  result.library = record.library != 0;
  std::error_code error;
  const std::filesystem::path path(record.path);
  if (path.is_absolute()) result.folder = std::filesystem::weakly_canonical(path.parent_path(), error);
  if (record.driver > 0)
    result.driver = std::to_string(record.driver / 1000) + "." + std::to_string(record.driver % 1000 / 10);
  if (record.library && record.error != 0) result.problem = explain(record.error);
  for (int i = 0; i < record.count; ++i)
    result.gpus.push_back({.name = record.gpus[i].name,
                           .capability = record.gpus[i].capability,
                           .memory_gb = static_cast<double>(record.gpus[i].memory) / 1e9});
  return result;
}

}  // namespace

const GpuProbe& probe_gpus() {
  static const GpuProbe result = probe();
  return result;
}

}  // namespace roofline::grader
