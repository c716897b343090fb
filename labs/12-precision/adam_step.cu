// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 12, part A: a step of Adam in mixed precision. Read README.md first, then chunks.h, which is yours to
// call; ./lab hint 12a helps when you are stuck. Check with  ./lab grade 12a

#include "adam_step.h"
#include "chunks.h"

namespace {

constexpr int kThreads = 256;

// What the first kernel of a step finds out and the second one needs to know; and what blocks of the first
// one have to tell each other. In device memory, from step to step.
struct Decision {
  std::uint32_t overflow, tickets;
  bool update;  // and what else? Deciding knows it, updating needs it
};

// TODO 1 (about 3 lines): is this half infinite or not a number? Which bits say so?
__device__ bool overflowed(half g) { return false; }

// TODO 2 (about 12 lines): one thread, for the whole step. Was there an overflow? Then the scale is halved
// and the count of good steps begins again; if not, this is one more step, one more good one, and perhaps the
// scale doubles. What will the second kernel divide by: the scale from before or from after? And what has to
// be cleared for the next step? What updating needs of 1 - beta^t (one_less_power(beta, t)) is worked out
// here, once.
__device__ void decide(Decision& decision, Scaler& scaler, const Adam& adam) {}

// TODO 3 (about 14 lines): all blocks together look at all gradients. The block that is the last to finish
// decides: lab 07 B has tickets. (Begin with a third kernel that decides: README.md, "What you write".)
__global__ void look(const half* gradients, const Tensor* tensors, const Chunk* chunks, unsigned count,
                     Decision* decision, Scaler* scaler, Adam adam) {}

// TODO 4 (about 10 lines): the new m, v and weight of one parameter, all in floats. adam_step.h has the
// formula.
__device__ void update_one(const Tensor& t, const half* gradients, std::uint32_t i, const Decision& decision,
                           const Adam& adam) {}

// TODO 5 (about 8 lines): unless the step is skipped, each block updates a chunk. When that is right, take
// four parameters at a time: which one is the first at a multiple of 16 bytes? (about 25 lines more)
__global__ void update(const half* gradients, const Tensor* tensors, const Chunk* chunks,
                       const Decision* decision, Adam adam) {}

}  // namespace

struct Optimizer {
  Tensor* tensors;
  Chunk* chunks;
  unsigned count;  // of chunks
  Decision* decision;
};

Optimizer* adam_prepare(const Tensor* tensors, int count, cudaStream_t stream) {
  // TODO 6 (about 5 lines): tensors and chunks_of(tensors, count) go to the device: uploaded(). What is a
  // Decision before the first step?
  return nullptr;
}

void adam_step(Optimizer* optimizer, const half* gradients, Scaler* scaler, const Adam& adam,
               cudaStream_t stream) {
  // TODO 7 (about 4 lines): both launches, on `stream`.
}

void adam_release(Optimizer* optimizer) {
  // TODO 8 (about 4 lines): free what adam_prepare took.
}
