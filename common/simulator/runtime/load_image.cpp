// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/load_image.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include "simulator/image/container.h"
#include "simulator/image/registration.h"
#include "simulator/ptx/load_error.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {
namespace {

/// Begins a linked image: this, then the number of units, then the size of each, then the units.
constexpr char kMagic[8] = {'\x7f', 'R', 'F', 'L', 'P', 'T', 'X', '1'};
constexpr u64 kMostUnits = 4096;

/// What stands first in a module of several units where they were not linked to machine code.
constexpr image::ContainerHeader kNoMachineCode{image::kContainerMagic, 1, image::kContainerHeader, 0};

bool is_linked(const std::byte* code) {
  for (size_t i = 0; i < sizeof kMagic; i++)  // text may be shorter
    if (code[i] != static_cast<std::byte>(kMagic[i])) return false;
  return true;
}

u64 number_at(const std::byte* from) {
  u64 value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

struct Header {
  u64 units = 0, bytes = 0;  ///< of the header
  const std::byte* at = nullptr;
  u64 size_of(u64 unit) const { return number_at(at + sizeof kMagic + (1 + unit) * sizeof(u64)); }
};

Header header_of(const std::byte* code) {
  const u64 units = number_at(code + sizeof kMagic);
  if (units > kMostUnits) throw LoadError("the linked device code is damaged");
  return {units, sizeof kMagic + (1 + units) * sizeof(u64), code};
}

/// The units in a linked image that is in memory as a whole.
std::vector<std::span<const std::byte>> units_of(std::span<const std::byte> image) {
  const Header header = header_of(image.data());
  std::vector<std::span<const std::byte>> units;
  u64 at = header.bytes;
  for (u64 i = 0; i < header.units; i++) {
    if (at > image.size() || header.size_of(i) > image.size() - at)
      throw LoadError("the linked device code is cut off");
    units.push_back(image.subspan(at, header.size_of(i)));
    at += header.size_of(i);
  }
  return units;
}

}  // namespace

Image linked_image(const std::vector<Image>& units) {
  Image image;
  const auto append = [&](const void* from, size_t bytes) {
    const auto* const begin = static_cast<const std::byte*>(from);
    image.insert(image.end(), begin, begin + bytes);
  };
  append(kMagic, sizeof kMagic);
  const u64 count = units.size();
  append(&count, sizeof count);
  for (const Image& unit : units) {
    const u64 bytes = unit.size();
    append(&bytes, sizeof bytes);
  }
  for (const Image& unit : units) append(unit.data(), unit.size());
  return image;
}

Image image_behind(const void* code) {
  const auto* const begin = static_cast<const std::byte*>(code);
  if (!code || !is_linked(begin)) {
    const auto image = image::image_at(code);
    return {image.begin(), image.end()};
  }
  const Header header = header_of(begin);
  u64 bytes = header.bytes;
  for (u64 i = 0; i < header.units; i++) bytes += header.size_of(i);
  return {begin, begin + bytes};
}

Image image_in_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  Image image(text.size());
  std::memcpy(image.data(), text.data(), text.size());
  return image;
}

cudaError_t load_image(Runtime& r, Image image, Module*& module, std::string* log) try {
  module = &r.modules.add_copy(std::move(image));
  if (module->owned.size() > sizeof kMagic + sizeof(u64) && is_linked(module->owned.data())) {
    module->units = units_of(module->owned);
    module->image = std::as_bytes(std::span(&kNoMachineCode, 1));
  }
  r.connection().listen(log);
  const cudaError_t error = r.modules.load(*module, r.connection());
  r.connection().listen(nullptr);
  if (error == cudaSuccess) return error;
  r.modules.remove(*module, nullptr);
  module = nullptr;
  return error;
} catch (const LoadError& error) {
  say(error.what());
  if (log) *log += error.what();
  r.modules.remove(*module, nullptr);
  module = nullptr;
  return cudaErrorInvalidKernelImage;
}

}  // namespace roofline::sim::runtime
