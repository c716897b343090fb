// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part B: makes a chain and an arena of the arguments and calls swap_step(), after
// swap_prepare() where the shape is a new one.

#include <array>
#include <string>

#include "swap.h"
#include "worker/live_objects.h"
#include "worker/worker.h"

namespace {

using roofline::worker::LiveObjects;

struct Prepared {
  std::array<int, 3> shape{};
  Swap* swap = nullptr;
  bool any = false;
  LiveObjects made{};  ///< by the functions below, and not destroyed yet
};

/// Calls one of the learner's functions and notes what it makes and destroys.
template <class Function>
void noting(LiveObjects& made, const Function& function) {
  const LiveObjects before = roofline::worker::live_objects();
  function();
  const LiveObjects after = roofline::worker::live_objects();
  made.streams += after.streams - before.streams;
  made.events += after.events - before.events;
  made.graphs += after.graphs - before.graphs;
  made.executable_graphs += after.executable_graphs - before.executable_graphs;
  made.device_memory += after.device_memory - before.device_memory;
  made.host_memory += after.host_memory - before.host_memory;
}

void release(Prepared& prepared) {
  if (!prepared.any) return;
  noting(prepared.made, [&] { swap_release(prepared.swap); });
  const std::string left = roofline::worker::left_alive({}, prepared.made);
  prepared = {};
  if (!left.empty())
    throw roofline::worker::Refusal{
        roofline::worker::Refusal::Reason::kNotReleased,
        left + " still there after the swap_release of the shape before: destroy what prepare and step made"};
}

void call(const float* x, const float* weights, const float* dy, float* dx, float* dweights,
          unsigned char* memory, std::uint64_t seed, std::uint32_t threshold, float scale, int layers,
          int batch, int width, std::size_t budget, cudaStream_t stream) {
  static Prepared prepared;
  const roofline::chain::Chain chain{layers, batch,   width, seed, threshold, scale,
                                     x,      weights, dy,    dx,   dweights};
  const std::array<int, 3> shape = {layers, batch, width};
  if (!prepared.any || prepared.shape != shape) {
    release(prepared);
    noting(prepared.made, [&] { prepared.swap = swap_prepare(chain); });
    prepared.shape = shape;
    prepared.any = true;
  }
  Arena arena(memory, budget);
  noting(prepared.made, [&] { swap_step(prepared.swap, chain, arena, stream); });
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }
