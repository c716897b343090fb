// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include "state.h"

/// Lab 05: replay a chain of small kernels.
///
/// The chain in chain.h is one step of a solver: 20 kernels, each of which waits for the one before. run()
/// does `steps` such steps; the kernels are so short that the time goes into launching them.
///
///     Solver* s = prepare(state, stream);    once, before any clock runs
///     run(s, 10, 0.05f, stream);             often: steps and dt change, and so does what state.u holds
///     run(s, 7, 0.02f, stream);
///     release(s);                            once
///
/// Several solvers, each with its own state, live at the same time and run in turns.
struct Solver;  // yours: what prepare() makes and run() needs

/// Everything that can be done without knowing steps and dt. state.u holds no input yet.
/// \param state   device arrays, which stay where they are until release(); the State itself does not: copy
/// it \param stream  where the work goes, here and in run(); not the default stream
Solver* prepare(const State& state, cudaStream_t stream);

/// Advances state.u by `steps` (0 or more) steps of length dt, in place. It need not wait for the end.
void run(Solver* solver, int steps, float dt, cudaStream_t stream);

/// Gives back what prepare() and run() took: streams, events and graphs that outlive it are counted. All work
/// has ended.
void release(Solver* solver);
