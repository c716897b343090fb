// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What the libstdc++ and libgcc of a newer system expect of its C library and an older one lacks. Linked into what is
// handed out (cmake/portable/sysroot); where a program runs on a newer system, these stay its own.
#define _GNU_SOURCE
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

// glibc 2.32: nonzero lets std::shared_ptr count without atomic instructions. Zero is always right.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// glibc 2.36, for std::random_device.
__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) abort();
  return number;
}

// glibc 2.35, for the unwinder: which loaded file holds this address, and where is its table of frames?
struct dl_find_object {
  unsigned long long flags;
  void *map_start, *map_end;
  struct link_map* link_map;
  void* eh_frame;
  unsigned long long reserved[7];
};

struct question {
  uintptr_t address;
  struct dl_find_object* answer;
};

static int look_at(struct dl_phdr_info* file, size_t size, void* data) {
  (void)size;
  const struct question* asked = data;
  uintptr_t frames = 0, begin = UINTPTR_MAX, end = 0;
  int holds = 0;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &file->dlpi_phdr[i];
    const uintptr_t at = file->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME) frames = at;
    if (part->p_type != PT_LOAD) continue;
    if (at < begin) begin = at;
    if (at + part->p_memsz > end) end = at + part->p_memsz;
    holds |= asked->address >= at && asked->address < at + part->p_memsz;
  }
  if (!holds || frames == 0) return 0;
  asked->answer->map_start = (void*)begin;
  asked->answer->map_end = (void*)end;
  asked->answer->eh_frame = (void*)frames;
  return 1;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void* address, struct dl_find_object* answer) {
  struct question question = {(uintptr_t)address, answer};
  return dl_iterate_phdr(look_at, &question) ? 0 : -1;
}
