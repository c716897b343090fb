// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part A. It calls cubic twice in one stream, without waiting in between and with other
// coefficients each time: the first kernel may still be about to read its own when the host prepares the
// second ones. What is left in y is the second result.

#include "cubic.h"
#include "worker/worker.h"

namespace {

void call(const float* x, float* y, std::size_t n, float c0, float c1, float c2, float c3,
          cudaStream_t stream) {
  cubic(x, y, n, c3, c2, c1, c0, stream);
  cubic(x, y, n, c0, c1, c2, c3, stream);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }
