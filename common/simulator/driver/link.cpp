// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver's linker: PTX of several translation units becomes one image, which cuModuleLoadData takes.
#include <cstring>
#include <map>
#include <string_view>

#include "simulator/driver/modules.h"
#include "simulator/image/container.h"
#include "simulator/ptx/load_error.h"
#include "simulator/ptx/parser.h"
#include "simulator/runtime/say.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;
using runtime::Image;
using runtime::Module;
using runtime::say;

namespace {

/// What a CUlinkState points to.
struct LinkState {
  JitOptions options;
  std::vector<Image> units;
  Image result;
  std::string errors;
};

struct LinkStates {
  std::mutex lock;
  std::map<CUlinkState, std::unique_ptr<LinkState>> states;

  static LinkStates& instance() {
    static LinkStates* const states = new LinkStates;
    return *states;
  }
  LinkState* find(CUlinkState handle) {
    const std::lock_guard guard(lock);
    const auto found = states.find(handle);
    return found == states.end() ? nullptr : found->second.get();
  }
};

/// Says what is wrong, to the terminal and to the caller's log.
CUresult refuse(LinkState& state, const std::string& why, CUresult result) {
  say(why);
  state.errors += why + "\n";
  state.options.tell("", state.errors);
  return result;
}

Image copy_of(const void* data, size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  return {begin, begin + bytes};
}

CUresult add_ptx(LinkState& state, Image text, const std::string& name) {
  const std::string_view view(reinterpret_cast<const char*>(text.data()), text.size());
  try {
    (void)ptx::parse(view, name);  // a card's linker compiles each input when it is added
  } catch (const LoadError& error) {
    return refuse(state, error.what(), CUDA_ERROR_INVALID_PTX);
  }
  state.units.push_back(std::move(text));
  return CUDA_SUCCESS;
}

/// The fat binaries in an object file or an archive of them: wherever one begins.
std::vector<Image> containers_in(const Image& file) {
  using image::ContainerHeader;
  std::vector<Image> found;
  for (size_t at = 0; at + sizeof(ContainerHeader) <= file.size(); at++) {
    ContainerHeader header;
    std::memcpy(&header, file.data() + at, sizeof header);
    if (header.magic != image::kContainerMagic || header.header_bytes != image::kContainerHeader) continue;
    const u64 left = file.size() - at - header.header_bytes;
    if (header.bytes == 0 || header.bytes > left) continue;
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at);
    found.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(header.header_bytes + header.bytes));
    at += header.header_bytes + header.bytes - 1;
  }
  return found;
}

CUresult add_containers(LinkState& state, const Image& file, const std::string& name) {
  // Device code that launches kernels needs this library. What else programs link it for is built in.
  if (name.find("cudadevrt") != std::string::npos) return CUDA_SUCCESS;
  std::vector<Image> found = containers_in(file);
  if (found.empty())
    return refuse(state, name + " holds no PTX: the simulated GPU links PTX and fat binaries that contain it",
                  CUDA_ERROR_NO_BINARY_FOR_GPU);
  for (Image& image : found) state.units.push_back(std::move(image));
  return CUDA_SUCCESS;
}

CUresult add(LinkState& state, CUjitInputType type, Image data, const std::string& name) {
  switch (type) {
    case CU_JIT_INPUT_PTX:
      return add_ptx(state, std::move(data), name);
    case CU_JIT_INPUT_FATBINARY:
    case CU_JIT_INPUT_OBJECT:
    case CU_JIT_INPUT_LIBRARY:
      return add_containers(state, data, name);
    case CU_JIT_INPUT_CUBIN:
      return refuse(state, name + " is machine code: the simulated GPU links PTX only, so compile with -ptx",
                    CUDA_ERROR_NO_BINARY_FOR_GPU);
    default:
      return refuse(state, name + " is of a kind that the simulated GPU does not link: give it PTX",
                    CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace

CUresult cuLinkCreate_v2(unsigned n, CUjit_option* options, void** values, CUlinkState* made) {
  return in_context([&] {
    auto state = std::make_unique<LinkState>(LinkState{JitOptions(n, options, values), {}, {}, {}});
    if (!made || !state->options.valid()) return CUDA_ERROR_INVALID_VALUE;
    *made = reinterpret_cast<CUlinkState>(state.get());
    LinkStates& all = LinkStates::instance();
    const std::lock_guard guard(all.lock);
    all.states.emplace(*made, std::move(state));
    return CUDA_SUCCESS;
  });
}
CUresult cuLinkCreate(unsigned n, CUjit_option* options, void** values, CUlinkState* made) {
  return cuLinkCreate_v2(n, options, values, made);
}

CUresult cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void* data, size_t bytes, const char* name,
                          unsigned, CUjit_option*, void**) {
  return initialised([&] {
    LinkState* const state = LinkStates::instance().find(handle);
    if (!state) return CUDA_ERROR_INVALID_HANDLE;
    if (!data || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return add(*state, type, copy_of(data, bytes), name && *name ? name : "a linked image");
  });
}
CUresult cuLinkAddData(CUlinkState handle, CUjitInputType type, void* data, size_t bytes, const char* name,
                       unsigned n, CUjit_option* options, void** values) {
  return cuLinkAddData_v2(handle, type, data, bytes, name, n, options, values);
}
CUresult cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char* path, unsigned, CUjit_option*,
                          void**) {
  return initialised([&] {
    LinkState* const state = LinkStates::instance().find(handle);
    if (!state) return CUDA_ERROR_INVALID_HANDLE;
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    Image data = runtime::image_in_file(path);
    return data.empty() ? CUDA_ERROR_FILE_NOT_FOUND : add(*state, type, std::move(data), path);
  });
}
CUresult cuLinkAddFile(CUlinkState handle, CUjitInputType type, const char* path, unsigned n,
                       CUjit_option* options, void** values) {
  return cuLinkAddFile_v2(handle, type, path, n, options, values);
}

/// Loads the linked image once, so that what does not fit together is told here.
CUresult cuLinkComplete(CUlinkState handle, void** image, size_t* bytes) {
  return in_context([&] {
    LinkState* const state = LinkStates::instance().find(handle);
    if (!state) return CUDA_ERROR_INVALID_HANDLE;
    if (!image || state->units.empty()) return CUDA_ERROR_INVALID_VALUE;
    state->result = runtime::linked_image(state->units);
    Module* module = nullptr;
    const CUresult result = load(state->result, state->options, module);
    if (result != CUDA_SUCCESS) return result;
    (void)unload(reinterpret_cast<CUmodule>(module));
    *image = state->result.data();
    if (bytes) *bytes = state->result.size();
    return CUDA_SUCCESS;
  });
}
CUresult cuLinkDestroy(CUlinkState handle) {
  return initialised([&] {
    LinkStates& all = LinkStates::instance();
    const std::lock_guard guard(all.lock);
    return all.states.erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}
