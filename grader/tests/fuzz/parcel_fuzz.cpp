// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Whatever an unpacker that was taken over writes: reading is total and within the limits.
#include <cstdlib>

#include "grader/unpack/unpack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roofline::unpack;
  const Limits limits{.files = 4, .file_bytes = 256, .entries = 10, .stream_bytes = 1 << 20};
  const Contents contents = unpacked({reinterpret_cast<const char*>(data), size}, limits);
  if (contents.files.size() > limits.files) std::abort();
  for (const File& file : contents.files)
    if (file.bytes.size() > limits.file_bytes) std::abort();
  return 0;
}
