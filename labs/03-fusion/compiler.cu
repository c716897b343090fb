// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 03, part C: a compiler that fuses. Check with  ./lab grade 03c

#include <map>
#include <string>

#include "compiler.h"
#include "cuda/nvrtc.h"

namespace {

// TODO 1 (about 30 lines): one line of CUDA for each node, for example  const float v3 = v1 * v2;
std::string source_of(const Expression& expression) { return {}; }

// TODO 2 (about 12 lines): compile (roofline::compile_to_ptx), load (cudaLibraryLoadData), find the kernel
// (cudaLibraryGetKernel). An expression that was seen before is not compiled again.
cudaKernel_t kernel_of(const Expression& expression) { return nullptr; }

}  // namespace

void evaluate(const Expression& expression, const float* const* inputs, float* y, std::size_t n,
              cudaStream_t stream) {
  // TODO 3 (about 10 lines): launch the kernel with cudaLaunchKernel; a cudaKernel_t can be passed where it
  // asks for a function. Constants can stand in the source or be parameters: which makes the better key for
  // the cache?
}
