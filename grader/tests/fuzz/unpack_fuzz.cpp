// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Any archive: nothing beyond the limits comes out, only wanted names, and the parcels say the same.
#include <cstdlib>

#include "grader/unpack/unpack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roofline::unpack;
  const Limits limits{.files = 4, .file_bytes = 1 << 12, .entries = 100, .stream_bytes = 1 << 20};
  const Contents contents = unpack({reinterpret_cast<const char*>(data), size}, {"a", "b.cu"}, limits);
  if (contents.files.size() > limits.files) std::abort();
  std::size_t long_names = 0;
  for (const File& file : contents.files) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (file.bytes.size() > limits.file_bytes || (name != "a" && name != "b.cu")) std::abort();
    long_names += file.path.size() > 4096 ? 1 : 0;
  }
  const Contents again = unpacked(packed(contents), limits);
  if (again.files.size() + long_names != contents.files.size() || again.problem != contents.problem)
    std::abort();
  return 0;
}
