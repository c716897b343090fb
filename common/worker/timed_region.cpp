// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "worker/timed_region.h"

#include <atomic>

namespace roofline::worker {
namespace {

// Written by hand so that the worker library needs no nvcc: the driver compiles it for the device.
constexpr const char kKernels[] = R"(
.version 7.5
.target sm_75
.address_size 64
// Waits until *flag is not 0, at most about a second: a host that died must not hang the device.
.visible .entry roofline_gate(.param .u64 flag)
{
  .reg .u64 %rd<4>;
  .reg .u32 %r<2>;
  .reg .pred %p<3>;
  ld.param.u64 %rd0, [flag];
  mov.u64 %rd1, %globaltimer;
  add.u64 %rd1, %rd1, 1000000000;
again:
  ld.volatile.u32 %r0, [%rd0];
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra done;
  mov.u64 %rd2, %globaltimer;
  setp.lt.u64 %p1, %rd2, %rd1;
  @%p1 bra again;
done:
  ret;
}
// ticks[0] = SM clocks, ticks[1] = nanoseconds, over at least 20 us. globaltimer may advance in steps of 1 us.
.visible .entry roofline_clock(.param .u64 ticks)
{
  .reg .u64 %rd<8>;
  .reg .pred %p<2>;
  ld.param.u64 %rd0, [ticks];
  mov.u64 %rd1, %globaltimer;
first:
  mov.u64 %rd2, %globaltimer;
  setp.eq.u64 %p0, %rd2, %rd1;
  @%p0 bra first;
  mov.u64 %rd3, %clock64;
  add.u64 %rd4, %rd2, 20000;
spin:
  mov.u64 %rd5, %globaltimer;
  setp.lt.u64 %p1, %rd5, %rd4;
  @%p1 bra spin;
  mov.u64 %rd6, %clock64;
  sub.u64 %rd6, %rd6, %rd3;
  sub.u64 %rd5, %rd5, %rd2;
  st.volatile.u64 [%rd0], %rd6;
  st.volatile.u64 [%rd0+8], %rd5;
  ret;
}
)";

}  // namespace

TimedRegion::TimedRegion(const Gpus& gpus) : gpus_(gpus), stream_(gpus.stream()) {
  ends_.resize(gpus.count() - 1);
  for (unsigned gpu = 1; gpu < gpus.count(); ++gpu) {
    gpus.aim(gpu);
    cudaEventCreateWithFlags(&ends_[gpu - 1], cudaEventDisableTiming);
  }
  gpus.aim(0);
  cudaEventCreate(&begin_);
  cudaEventCreate(&end_);
  if (cudaLibraryLoadData(&library_, kKernels, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaSuccess) {
    cudaLibraryGetKernel(&gate_, library_, "roofline_gate");
    cudaLibraryGetKernel(&clock_, library_, "roofline_clock");
    void* memory = nullptr;
    if (cudaHostAlloc(&memory, 64, cudaHostAllocMapped) == cudaSuccess) {
      ticks_ = static_cast<unsigned long long*>(memory);
      flag_ = static_cast<unsigned*>(memory) + 8;
      *flag_ = 0;
    }
  }
  cudaGetLastError();
}

TimedRegion::~TimedRegion() {
  if (ticks_ != nullptr) cudaFreeHost(ticks_);
  if (library_ != nullptr) cudaLibraryUnload(library_);
  cudaEventDestroy(begin_);
  cudaEventDestroy(end_);
  for (const cudaEvent_t end : ends_) cudaEventDestroy(end);
}

void TimedRegion::fork() {
  for (unsigned gpu = 1; gpu < gpus_.count(); ++gpu) cudaStreamWaitEvent(gpus_.stream(gpu), begin_, 0);
}

void TimedRegion::join() {
  for (unsigned gpu = 1; gpu < gpus_.count(); ++gpu) {
    gpus_.aim(gpu);
    cudaEventRecord(ends_[gpu - 1], gpus_.stream(gpu));
    cudaStreamWaitEvent(stream_, ends_[gpu - 1], 0);
  }
  gpus_.aim(0);
}

void TimedRegion::close_gate() {
  if (gate_ == nullptr || flag_ == nullptr) return;
  std::atomic_ref<unsigned>(*flag_).store(0);
  void* arguments[] = {&flag_};
  cudaLaunchKernel(reinterpret_cast<const void*>(gate_), dim3(1), dim3(1), arguments, 0, stream_);
}

void TimedRegion::open_gate() {
  if (flag_ != nullptr) std::atomic_ref<unsigned>(*flag_).store(1);
}

double TimedRegion::sm_clock_mhz() {
  if (clock_ == nullptr || ticks_ == nullptr) return 0;
  void* arguments[] = {&ticks_};
  if (cudaLaunchKernel(reinterpret_cast<const void*>(clock_), dim3(1), dim3(1), arguments, 0, stream_) !=
          cudaSuccess ||
      cudaStreamSynchronize(stream_) != cudaSuccess) {
    return 0;
  }
  return ticks_[1] == 0 ? 0 : 1000.0 * static_cast<double>(ticks_[0]) / static_cast<double>(ticks_[1]);
}

}  // namespace roofline::worker
