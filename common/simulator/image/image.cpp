// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/image/image.h"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <string_view>

#include "simulator/image/bytes.h"
#include "simulator/image/container.h"
#include "simulator/image/elf.h"

namespace roofline::sim::image {
namespace {

/// More than any real program embeds; a damaged size must not take all memory.
constexpr u64 kMostBytes = u64{256} << 20;

std::vector<std::byte> decompress(Bytes packed, const EntryHeader& entry) {
  if (entry.uncompressed_bytes > kMostBytes) {
    throw ImageError("The embedded device code is damaged: one of its entries claims to unpack to " +
                     std::to_string(entry.uncompressed_bytes) + " bytes.");
  }
  std::vector<std::byte> result(static_cast<std::size_t>(entry.uncompressed_bytes));
  u64 written = 0;
  if ((entry.flags & kZstdFlag) != 0) {
    const std::size_t status = ZSTD_decompress(result.data(), result.size(), packed.data(), packed.size());
    written = ZSTD_isError(status) != 0 ? ~u64{0} : status;
  } else if ((entry.flags & kLz4Flag) != 0) {
    const int status = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()),
                                           reinterpret_cast<char*>(result.data()),
                                           static_cast<int>(packed.size()), static_cast<int>(result.size()));
    written = status < 0 ? ~u64{0} : static_cast<u64>(status);
  } else {
    throw ImageError(
        "The embedded device code is compressed in a way that is not known here. Rebuild it with nvcc "
        "-no-compress.");
  }
  if (written != entry.uncompressed_bytes) {
    throw ImageError("The embedded device code is damaged: an entry cannot be decompressed.");
  }
  return result;
}

std::vector<std::byte> unpack(Bytes payload, const EntryHeader& entry) {
  if (entry.compressed_bytes == 0) return {payload.begin(), payload.end()};
  if (payload.size() > kMostBytes) throw ImageError("The embedded device code is larger than 256 MB.");
  return decompress(part(payload, 0, entry.compressed_bytes), entry);
}

std::string text_of(Bytes bytes) {
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return std::string(text);
}

void read_container(Bytes body, Image& image) {
  for (u64 offset = 0; offset < body.size();) {
    const auto entry = number_at<EntryHeader>(body, offset);
    if (entry.header_bytes < sizeof(EntryHeader)) {
      throw ImageError("The embedded device code is damaged: an entry's header is too short.");
    }
    const Bytes whole = part(body, offset, entry.header_bytes);
    const Bytes payload = part(body, offset + whole.size(), entry.payload_bytes);
    if (entry.kind == kPtxEntry) {
      image.ptx.push_back({entry.sm, text_of(unpack(payload, entry))});
    } else if (entry.kind == kElfEntry) {
      image.elf.push_back({entry.sm, unpack(payload, entry)});
    } else if (entry.kind == kLtoEntry) {
      image.has_lto = true;
    }
    offset += whole.size() + payload.size();
  }
}

void read_containers(Bytes bytes, Image& image) {
  // Behind the last container there may be padding of zeros.
  for (u64 offset = 0; offset < bytes.size();) {
    if (offset > 0 && number_at<u8>(bytes, offset) == 0) {
      ++offset;
      continue;
    }
    const auto header = number_at<ContainerHeader>(bytes, offset);
    if (header.magic != kContainerMagic || header.header_bytes < kContainerHeader) {
      throw ImageError("The embedded device code is damaged: no container where one should start.");
    }
    const Bytes head = part(bytes, offset, header.header_bytes);
    const Bytes body = part(bytes, offset + head.size(), header.bytes);
    read_container(body, image);
    offset += head.size() + body.size();
  }
}

/// 80 from ".target sm_80" (or compute_80); 0 if the text has none.
u32 target_of(std::string_view text) {
  const std::size_t directive = text.find(".target");
  if (directive == text.npos) return 0;
  text = text.substr(directive, text.find('\n', directive) - directive);
  const std::size_t underscore = text.find('_');
  if (underscore == text.npos) return 0;
  u32 sm = 0;
  for (std::size_t i = underscore + 1; i < text.size() && i < underscore + 5; ++i) {
    if (text[i] < '0' || text[i] > '9') break;
    sm = sm * 10 + static_cast<u32>(text[i] - '0');
  }
  return sm;
}

std::string architectures(const Image& image) {
  std::string list;
  for (const ElfImage& elf : image.elf) {
    list += (list.empty() ? "sm_" : ", sm_") + std::to_string(elf.sm);
  }
  return list;
}

/// "8.0"
std::string capability_text(u32 capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace

Image read_image(Bytes bytes) {
  Image image;
  if (bytes.size() < sizeof(u32))
    throw ImageError("There is no device code: only " + std::to_string(bytes.size()) + " bytes.");
  const u32 magic = number_at<u32>(bytes, 0);
  if (magic == kContainerMagic) {
    read_containers(bytes, image);
  } else if (magic == kElfMagic) {
    const u32 sm = elf_architecture(bytes);
    if (sm == 0) throw ImageError("This ELF file holds no NVIDIA device code.");
    image.elf.push_back({sm, {bytes.begin(), bytes.end()}});
  } else {
    std::string text = text_of(bytes);
    if (text.find(".version") == text.npos || text.find('\0') != text.npos) {
      throw ImageError("These bytes are neither a fatbin container, nor an ELF file, nor PTX text.");
    }
    const u32 sm = target_of(text);
    image.ptx.push_back({sm, std::move(text)});
  }
  return image;
}

const PtxImage& choose_ptx(const Image& image, u32 capability) {
  const PtxImage *best = nullptr, *oldest = nullptr;
  for (const PtxImage& candidate : image.ptx) {
    if (oldest == nullptr || candidate.sm < oldest->sm) oldest = &candidate;
    if (candidate.sm <= capability && (best == nullptr || candidate.sm > best->sm)) best = &candidate;
  }
  if (best != nullptr) return *best;
  const std::string number = std::to_string(capability);
  if (oldest != nullptr) {
    if (choose_elf(image, capability) != nullptr) return *oldest;  // it stands in for the machine code
    throw ImageError("The program was built for compute capability " + capability_text(oldest->sm) +
                     " and newer; this GPU has " + capability_text(capability) +
                     ". Rebuild it with -arch=sm_" + number + ", or choose a newer device.");
  }
  if (image.has_lto)
    throw ImageError(
        "The program was built for link-time optimisation, which leaves no PTX; the simulated GPU needs PTX. "
        "Rebuild it without -dlto, with -rdc=true -gencode arch=compute_" +
        number + ",code=compute_" + number + ".");
  const std::string held =
      image.elf.empty() ? "no device code" : "machine code for " + architectures(image) + " only";
  throw ImageError("The program holds " + held + "; the simulated GPU needs PTX. Rebuild it with -arch=sm_" +
                   number + " or with -gencode arch=compute_" + number + ",code=compute_" + number + ".");
}

const ElfImage* nearest_elf(const Image& image, u32 capability) {
  const auto distance = [&](const ElfImage& elf) {
    return elf.sm > capability ? elf.sm - capability : capability - elf.sm;
  };
  const auto nearest =
      std::min_element(image.elf.begin(), image.elf.end(),
                       [&](const ElfImage& a, const ElfImage& b) { return distance(a) < distance(b); });
  return nearest == image.elf.end() ? nullptr : &*nearest;
}

const ElfImage* choose_elf(const Image& image, u32 capability) {
  const ElfImage* best = nullptr;
  for (const ElfImage& candidate : image.elf) {
    const bool runs = candidate.sm / 10 == capability / 10 && candidate.sm <= capability;
    if (runs && (best == nullptr || candidate.sm > best->sm)) best = &candidate;
  }
  return best;
}

}  // namespace roofline::sim::image
