// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/code.h"

#include <algorithm>

#include "simulator/image/elf.h"
#include "simulator/image/image.h"
#include "simulator/ptx/load_error.h"

namespace roofline::sim::server {
namespace {

image::Image read(std::span<const std::byte> bytes) try {
  return image::read_image(bytes);
} catch (const LoadError& error) {
  throw CodeError{channel::Status::kInvalidImage, error.what()};
}

const image::PtxImage& choose(const image::Image& found, u32 capability) try {
  return image::choose_ptx(found, capability);
} catch (const LoadError& error) {
  throw CodeError{channel::Status::kNoKernelImage, error.what()};
}

/// The library behind kernels that launch kernels: -rdc=true links it into every program, 780 kB of PTX.
bool is_device_runtime(const std::string& ptx) {
  return ptx.find("_cuda_device_runtime_cu_") != std::string::npos;
}

/// Kernels that launch kernels by the first interface, and wait for them.
void check_launches(const std::string& ptx) {
  for (const char* call : {") cudaGetParameterBufferV2", ") cudaDeviceSynchronize"})
    if (ptx.find(call) != std::string::npos)
      throw CodeError{
          channel::Status::kInvalidPtx,
          "A kernel of the program launches kernels, or waits for them, by the first interface of dynamic "
          "parallelism, which GPUs of compute capability 9.0 and up and the simulated GPU do not have: "
          "compile it without CUDA_FORCE_CDP1_IF_SUPPORTED, and launch what has to wait in "
          "cudaStreamTailLaunch."};
}

std::vector<ElfKernel> kernels(const image::Image& found, u32 capability) {
  const image::ElfImage* elf = image::choose_elf(found, capability);
  const bool is_other = elf == nullptr;
  if (is_other) elf = image::nearest_elf(found, capability);
  if (elf == nullptr) return {};
  try {
    std::vector<ElfKernel> kernels = image::kernels_of_elf(elf->bytes);
    for (ElfKernel& kernel : kernels) kernel.is_of_other_device = is_other;
    return kernels;
  } catch (const LoadError&) {
    // Only facts about registers are lost: they are estimated, as for a program without machine code.
    return {};
  }
}

/// Empty for the first part of a program without machine code: a container with nothing in it.
bool is_empty(const image::Image& found) { return found.ptx.empty() && found.elf.empty() && !found.has_lto; }

Code find_linked_code(std::span<const std::byte> bytes, const std::vector<u64>& parts, u32 capability) {
  Code code;
  bool lacks_ptx = false;
  image::Image without;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > bytes.size())
      throw CodeError{channel::Status::kInvalidImage, "The program's device code is cut off."};
    const image::Image found = read(bytes.first(parts[i]));
    bytes = bytes.subspan(parts[i]);
    if (i == 0) {
      code.elf = kernels(found, capability);  // what nvlink made of all units
      continue;
    }
    if (found.ptx.empty()) {
      lacks_ptx = lacks_ptx || !is_empty(found);
      if (!is_empty(found)) without = found;
      continue;
    }
    const image::PtxImage& ptx = choose(found, capability);
    if (is_device_runtime(ptx.text)) continue;
    check_launches(ptx.text);
    code.ptx.push_back(ptx.text);
    code.target = std::max(code.target, ptx.sm);
  }
  if (lacks_ptx || code.ptx.empty()) choose(without, capability);  // throws
  return code;
}

}  // namespace

Code find_code(std::span<const std::byte> bytes, const std::vector<u64>& parts,
               const DeviceDescription& device) {
  const u32 capability = device.compute_major * 10 + device.compute_minor;
  if (!parts.empty()) return find_linked_code(bytes, parts, capability);
  const image::Image found = read(bytes);
  Code code;
  const image::PtxImage& ptx = choose(found, capability);
  code.ptx.push_back(ptx.text);
  code.target = ptx.sm;
  code.elf = kernels(found, capability);
  return code;
}

}  // namespace roofline::sim::server
