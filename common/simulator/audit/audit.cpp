// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The library that `lab run` names in LD_AUDIT: the dynamic loader tells it of every file that it loads,
// before any code of that file runs (see rtld-audit(7)). It finds CUDA runtimes that are linked into programs
// and libraries, and makes each of their public functions a jump to the one of libcudart.so.13 beside this
// file. In NVRTC it makes those functions that give machine code jumps to those that give PTX. Libraries of
// NVIDIA's that the simulated GPU stands in for are not loaded, wherever they are.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "simulator/static_runtime/redirection.h"
#include "simulator/static_runtime/static_runtime.h"

namespace roofline::sim::static_runtime {
namespace {

constexpr const char* kStandIn = "libcudart.so.13";
/// Of the stand-in: takes the name of a function that it does not know.
constexpr std::string_view kUnknown = "roofline_unknown_function";

void say(const std::string& message) {
  const std::string line = "simulated GPU: " + message + "\n";
  (void)!write(STDERR_FILENO, line.data(), line.size());
}

/// A file as it lies on the disk; empty when it cannot be read (the kernel's vdso has none).
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      bytes_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (bytes_ == MAP_FAILED) size_ = 0;
    }
    close(fd);
    device_ = status.st_dev;
    number_ = status.st_ino;
  }
  ~MappedFile() {
    if (size_) munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(bytes_), size_}; }
  bool is_same_file(const MappedFile& other) const {
    return size_ && device_ == other.device_ && number_ == other.number_;
  }

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
  dev_t device_ = 0;
  ino_t number_ = 0;
};

/// Where this file is, with a slash behind it.
std::string own_folder() {
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&say), &own);
  const std::string path = own.dli_fname ? own.dli_fname : "";
  return path.substr(0, path.rfind('/') + 1);
}

/// The stand-in for a library that a program asks for by name or by path, as Python's packages do with the
/// CUDA runtime that they bring along; empty for all others.
const std::string& stand_in_for(std::string_view asked) {
  static const auto* const known = [] {
    auto* const paths = new std::map<std::string, std::string, std::less<>>;
    for (const char* name : {kStandIn, "libcuda.so.1"}) paths->emplace(name, own_folder() + name);
    paths->emplace("libcuda.so", own_folder() + "libcuda.so.1");
    return paths;
  }();
  static const std::string none;
  const auto found = known->find(asked.substr(asked.rfind('/') + 1));
  return found == known->end() ? none : found->second;
}

std::string path_of(const link_map& map) { return *map.l_name ? map.l_name : "/proc/self/exe"; }

std::string shown_name(const link_map& map) { return *map.l_name ? map.l_name : "the program"; }

/// libcudart.so.13 of the simulated GPU.
class StandIn {
 public:
  StandIn() : file_(own_folder() + kStandIn), functions_(ElfFile(file_.bytes()).exported_functions()) {
    for (const Function& function : functions_) addresses_.emplace(function.name, function.address);
  }
  bool is(const MappedFile& file) const { return file_.is_same_file(file); }
  const std::vector<Function>& functions() const { return functions_; }
  /// The code that goes on in this library instead of in `function`.
  Code code_for(const Function& function, std::uint64_t base) const {
    if (const auto known = addresses_.find(function.name); known != addresses_.end())
      return host_jumps().far_jump(base + known->second);
    const auto* name = new std::string(function.name);  // for the life of the process
    return host_jumps().far_jump_with(reinterpret_cast<std::uint64_t>(name->c_str()),
                                      base + addresses_.at(kUnknown));
  }

 private:
  MappedFile file_;
  std::vector<Function> functions_;
  std::map<std::string_view, std::uint64_t> addresses_;
};

/// Code pages are read-only: they are made writable for a moment, never writable and executable at once.
void write_code(const Patch& patch) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = patch.address / page * page,
                      end = (patch.address + patch.bytes.size() + page - 1) / page * page;
  void* pages = reinterpret_cast<void*>(begin);
  auto* code = reinterpret_cast<char*>(patch.address);
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0)
    throw std::runtime_error(std::string("its code cannot be changed (mprotect: ") + std::strerror(errno) +
                             ")");
  std::memcpy(code, patch.bytes.data(), patch.bytes.size());
  if (mprotect(pages, end - begin, PROT_READ | PROT_EXEC) != 0)
    throw std::runtime_error(std::string("its code cannot be made executable again (mprotect: ") +
                             std::strerror(errno) + ")");
  __builtin___clear_cache(code, code + patch.bytes.size());
}

/// A redirection of a function that was loaded to `base`.
Redirection redirection(const Function& function, std::uint64_t base, Code code) {
  const std::uint64_t address = base + function.address;
  const std::span begin(reinterpret_cast<const std::byte*>(address), function.size);
  return {std::string(function.name), address, function.size, host_jumps().mark_size(begin), std::move(code)};
}

void redirect(const StaticRuntime& runtime, std::uint64_t base, const StandIn& stand_in,
              std::uint64_t stand_in_base) {
  std::vector<Redirection> redirections;
  for (const Function& function : runtime.functions)
    redirections.push_back(redirection(function, base, stand_in.code_for(function, stand_in_base)));
  for (const Patch& patch : plan_patches(std::move(redirections), host_jumps())) write_code(patch);
}

/// NVRTC compiles to PTX on the way to machine code, and has both when a program asks for either. The
/// simulated GPU runs PTX: whoever asks for machine code gets that.
void give_ptx_for_cubin(const ElfFile& nvrtc, std::uint64_t base) {
  std::map<std::string_view, Function> functions;
  for (const Function& function : nvrtc.exported_functions()) functions.emplace(function.name, function);
  std::vector<Redirection> redirections;
  for (const auto& [cubin, ptx] :
       {std::pair{"nvrtcGetCUBIN", "nvrtcGetPTX"}, std::pair{"nvrtcGetCUBINSize", "nvrtcGetPTXSize"}}) {
    const auto from = functions.find(cubin), to = functions.find(ptx);
    if (from == functions.end() || to == functions.end()) return;
    redirections.push_back(redirection(from->second, base, host_jumps().far_jump(base + to->second.address)));
  }
  for (const Patch& patch : plan_patches(std::move(redirections), host_jumps())) write_code(patch);
}

bool is_nvrtc(const ElfFile& file) {
  const std::vector<std::string> names = file.dynamic(DT_SONAME);
  return !names.empty() && names.front().starts_with("libnvrtc.so");
}

/// What has been loaded, and what of it was not looked at yet.
class Loaded {
 public:
  void add(link_map* map) { pending_.push_back(map); }
  void remove(link_map* map) { std::erase(pending_, map); }

  /// Everything that is pending is in place now, and none of its code has run.
  void examine() {
    const std::vector<link_map*> maps = std::exchange(pending_, {});
    for (link_map* map : maps)
      if (!base_ && stand_in_.is(MappedFile(path_of(*map)))) base_ = map->l_addr;
    for (const link_map* map : maps) examine(*map);
  }

 private:
  void examine(const link_map& map) {
    const MappedFile mapped(path_of(map));
    if (stand_in_.is(mapped)) return;
    const ElfFile file(mapped.bytes());
    if (!file.is_elf()) return;
    if (is_nvrtc(file)) return give_ptx_for_cubin(file, map.l_addr);
    const StaticRuntime runtime = find_static_runtime(file, stand_in_.functions());
    const std::string name = shown_name(map);
    if (runtime.presence == Presence::kOlder)
      say(name +
          " has the CUDA runtime of an older toolkit linked in, which cannot use the simulated GPU: rebuild "
          "it with CUDA 13");
    if (runtime.presence == Presence::kStripped)
      say(name +
          " has the CUDA runtime linked in and no symbols, so its CUDA calls cannot be led to the simulated "
          "GPU: do not strip it, or rebuild it with `nvcc -cudart shared`");
    if (runtime.presence != Presence::kFound) return;
    try {
      if (!base_) throw std::runtime_error(std::string(kStandIn) + " of the simulated GPU is not loaded");
      redirect(runtime, map.l_addr, stand_in_, *base_);
    } catch (const std::exception& problem) {
      // Going on would run the runtime that is linked in, on a GPU that is there by chance or on none.
      say(name + " has the CUDA runtime linked in, and it cannot be replaced: " + problem.what() +
          "; `nvcc -cudart shared` needs no replacing");
      _exit(1);
    }
  }

  StandIn stand_in_;
  std::optional<std::uint64_t> base_;
  std::vector<link_map*> pending_;
};

Loaded& loaded() {
  static auto* all = new Loaded;  // files are still closed when the process ends
  return *all;
}

}  // namespace
}  // namespace roofline::sim::static_runtime

using roofline::sim::static_runtime::loaded;
using roofline::sim::static_runtime::stand_in_for;

extern "C" {

[[gnu::visibility("default")]] unsigned la_version(unsigned version) {
  return std::min(version, unsigned{LAV_CURRENT});
}

[[gnu::visibility("default")]] char* la_objsearch(const char* name, uintptr_t*, unsigned) {
  const std::string& other = stand_in_for(name);
  return const_cast<char*>(other.empty() ? name : other.c_str());
}

[[gnu::visibility("default")]] unsigned la_objopen(link_map* map, Lmid_t, uintptr_t* cookie) {
  *cookie = reinterpret_cast<uintptr_t>(map);
  loaded().add(map);
  return 0;  // its symbols are bound as ever
}

[[gnu::visibility("default")]] unsigned la_objclose(uintptr_t* cookie) {
  loaded().remove(reinterpret_cast<link_map*>(*cookie));
  return 0;
}

[[gnu::visibility("default")]] void la_activity(uintptr_t*, unsigned flag) {
  if (flag == LA_ACT_CONSISTENT) loaded().examine();
}

}  // extern "C"
