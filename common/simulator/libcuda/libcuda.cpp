// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// libcuda.so.1: every function is a jump into the libcudart.so.13 beside it, so that a program has one device
// and one state whichever of the two APIs it uses. Both APIs are implemented there (driver/ and runtime/).
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

/// Where each function jumps to, in the order of names.list.
#define DONE(name, base, version) #name,
#define TWIN(name, original, base, version) #name,
#define MISSING(name, base, version, why) #name,
constexpr const char* kNames[] = {
#include "simulator/driver/names.list"
};
#undef DONE
#undef TWIN
#undef MISSING

[[noreturn]] void give_up(const std::string& why) {
  const std::string line =
      "simulated GPU: libcuda.so.1 cannot use the libcudart.so.13 beside it: " + why + "\n";
  (void)!write(STDERR_FILENO, line.data(), line.size());
  std::_Exit(127);
}

/// By its path: the program may have loaded another library of that name.
void* open_runtime() {
  static const char anchor = 0;
  Dl_info own{};
  dladdr(&anchor, &own);
  std::string path = own.dli_fname ? own.dli_fname : "";
  path = path.substr(0, path.rfind('/') + 1) + "libcudart.so.13";
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) give_up(dlerror());
  return library;
}

}  // namespace

extern "C" {
/// Read by the jumps below.
__attribute__((visibility("hidden"))) void* roofline_driver_jumps[std::size(kNames)];
}

namespace {

[[gnu::constructor]] void fill_jumps() {
  using Find = void* (*)(const char*);
  void* const symbol = dlsym(open_runtime(), "roofline_driver_function");
  if (!symbol) give_up("it is of a different build");
  const auto find = reinterpret_cast<Find>(symbol);
  for (std::size_t i = 0; i < std::size(kNames); i++) {
    roofline_driver_jumps[i] = find(kNames[i]);
    if (!roofline_driver_jumps[i]) give_up("it is of a different build");
  }
}

}  // namespace

// Where an indirect call may arrive; the jump, which changes no register that a caller or a function relies
// on.
#ifdef __aarch64__
#define TO_SLOT                                           \
  "hint 34\n" /* bti c */                                 \
  "adrp x16, roofline_driver_jumps + slot\n"              \
  "ldr x16, [x16, #:lo12:roofline_driver_jumps + slot]\n" \
  "br x16\n"
#else
#define TO_SLOT \
  "endbr64\n"   \
  "jmp *roofline_driver_jumps + slot(%rip)\n"
#endif

// One jump for each name; the assembler counts the slots.
#define JUMP(name)                                                 \
  ".globl " #name                                                  \
  "\n"                                                             \
  ".type " #name                                                   \
  ", %function\n"                                                  \
  ".balign 16\n" #name ":\n" TO_SLOT ".size " #name ", . - " #name \
  "\n"                                                             \
  ".set slot, slot + 8\n"
#define DONE(name, base, version) JUMP(name)
#define TWIN(name, original, base, version) JUMP(name)
#define MISSING(name, base, version, why) JUMP(name)
asm(".text\n"
    ".set slot, 0\n"
#include "simulator/driver/names.list"
    ".previous\n");
