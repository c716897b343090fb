// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/box/confinement.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace roofline::grader {
namespace {

#ifdef __aarch64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#endif
constexpr std::uint32_t kX32 = 0x40000000;            // numbers of the other ABI that x86-64 kernels accept
constexpr std::uint32_t kNewNamespaces = 0x7e020000;  // every CLONE_NEW* that clone can carry

// Numbers of calls that the headers of a stable distribution may not know yet.
constexpr std::uint32_t kMountCalls[] = {428, 429, 430, 431,
                                         432, 433, 442};  // open_tree ... fspick, mount_setattr
constexpr std::uint32_t kIoUring[] = {425, 426, 427};
constexpr std::uint32_t kClone3 = 435, kPidfdGetfd = 438, kProcessMadvise = 440;
// Of glibc 2.34 and Linux 5.11: what is handed out built must do without the one, and may meet an older of
// the other.
constexpr long kCloseRange = 436;
constexpr unsigned kOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC

constexpr std::uint32_t kForbidden[] = {SYS_ptrace,
                                        SYS_process_vm_readv,
                                        SYS_process_vm_writev,
                                        SYS_kcmp,
                                        SYS_keyctl,
                                        SYS_add_key,
                                        SYS_request_key,
                                        SYS_bpf,
                                        SYS_perf_event_open,
                                        SYS_userfaultfd,
                                        SYS_mount,
                                        SYS_umount2,
                                        SYS_pivot_root,
                                        SYS_chroot,
                                        SYS_setns,
                                        SYS_unshare,
                                        SYS_open_by_handle_at,
                                        SYS_name_to_handle_at,
                                        SYS_clock_settime,
                                        SYS_clock_adjtime,
                                        SYS_settimeofday,
                                        SYS_adjtimex,
                                        SYS_personality,
                                        SYS_swapon,
                                        SYS_swapoff,
                                        SYS_reboot,
                                        SYS_kexec_load,
                                        SYS_kexec_file_load,
                                        SYS_init_module,
                                        SYS_finit_module,
                                        SYS_delete_module,
                                        SYS_acct,
                                        SYS_quotactl,
                                        SYS_syslog,
#ifdef __x86_64__
                                        SYS_iopl,
                                        SYS_ioperm,
#endif
                                        SYS_lookup_dcookie,
                                        SYS_sethostname,
                                        SYS_setdomainname,
                                        SYS_migrate_pages,
                                        SYS_move_pages,
                                        kPidfdGetfd,
                                        kProcessMadvise};

class Filter {
 public:
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void argument(unsigned i) { load(offsetof(seccomp_data, args) + 8 * i); }  // the low half: little endian
  void mask(std::uint32_t bits) { code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)); }
  void answer(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void refuse(int error) { answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }
  void if_equal_skip(std::uint32_t value, std::uint8_t instructions) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, instructions, 0));
  }
  void unless_equal_skip(std::uint32_t value, std::uint8_t instructions) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, instructions));
  }
  void unless_any_bit_skip(std::uint32_t bits, std::uint8_t instructions) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, instructions));
  }
  void unless_at_least_skip(std::uint32_t value, std::uint8_t instructions) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, instructions));
  }
  void refuse_call(std::uint32_t number, int error) {
    unless_equal_skip(number, 1);
    refuse(error);
  }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  std::vector<sock_filter> code_;
};

}  // namespace

std::vector<sock_filter> untrusted_code_filter(bool shared_memory) {
  Filter filter;
  filter.load(offsetof(seccomp_data, arch));
  filter.if_equal_skip(kArchitecture, 1);
  filter.answer(SECCOMP_RET_KILL_PROCESS);
  filter.load(offsetof(seccomp_data, nr));
  filter.unless_at_least_skip(kX32, 1);
  filter.refuse(ENOSYS);
  for (const std::uint32_t number : kForbidden) filter.refuse_call(number, EPERM);
  for (const std::uint32_t number : kMountCalls) filter.refuse_call(number, EPERM);
  // "No such call": the C library then takes the older one, whose flags can be seen here.
  filter.refuse_call(kClone3, ENOSYS);
  for (const std::uint32_t number : kIoUring) filter.refuse_call(number, ENOSYS);

  filter.unless_equal_skip(SYS_socket, 4);
  filter.argument(0);
  filter.unless_equal_skip(AF_UNIX, 1);
  filter.answer(SECCOMP_RET_ALLOW);
  filter.refuse(EAFNOSUPPORT);

  filter.unless_equal_skip(SYS_clone, 4);
  filter.argument(0);
  filter.unless_any_bit_skip(kNewNamespaces, 1);
  filter.refuse(EPERM);
  filter.answer(SECCOMP_RET_ALLOW);

  filter.unless_equal_skip(SYS_ioctl, 6);  // typing into the terminal of whoever started us
  filter.argument(1);
  filter.unless_equal_skip(TIOCSTI, 1);
  filter.refuse(EPERM);
  filter.unless_equal_skip(TIOCLINUX, 1);
  filter.refuse(EPERM);
  filter.answer(SECCOMP_RET_ALLOW);

  if (!shared_memory) {
    filter.refuse_call(SYS_memfd_create, EPERM);
    filter.refuse_call(SYS_shmget, EPERM);
    filter.unless_equal_skip(SYS_mmap, 5);
    filter.argument(3);
    filter.mask(MAP_SHARED | MAP_ANONYMOUS);
    filter.unless_equal_skip(MAP_SHARED | MAP_ANONYMOUS, 1);
    filter.refuse(ENOMEM);
    filter.answer(SECCOMP_RET_ALLOW);
  }
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.take();
}

bool close_listed_on_exec() {
  const int list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return false;
  // Without the C library's directories, which allocate. An entry: inode, offset, its length, type, name.
  constexpr size_t kLength = 16, kName = 19;
  char buffer[4096];
  bool all = true;
  long bytes = 0;
  while ((bytes = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < bytes;) {
      const char* name = buffer + at + kName;
      std::uint16_t length = 0;
      std::memcpy(&length, buffer + at + kLength, sizeof length);
      at += length;
      if (*name < '0' || *name > '9') continue;  // . and ..
      int fd = 0;
      for (; *name != 0; ++name) fd = 10 * fd + (*name - '0');
      if (fd >= 3) all = fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && all;
    }
  }
  close(list);
  return all && bytes == 0;
}

bool confine(const Confinement& confinement) {
  if (confinement.first_to_go) {
    if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
      [[maybe_unused]] const ssize_t written = write(file, "1000", 4);  // where it is refused, all are equal
      close(file);
    }
  }
  if (syscall(kCloseRange, 3U, ~0U, kOnExec) != 0 && !close_listed_on_exec()) return false;
  for (const int fd : confinement.keep)
    if (fd >= 0 && fcntl(fd, F_SETFD, 0) != 0) return false;
  for (const auto& [which, limit] : confinement.limits)
    if (setrlimit(static_cast<__rlimit_resource>(which), &limit) != 0) return false;
  if (confinement.uid >= 0) {
    const auto id = static_cast<uid_t>(confinement.uid);
    if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0) return false;
  }
  if (confinement.filter.empty()) return true;
  sock_fprog program{static_cast<unsigned short>(confinement.filter.size()),
                     const_cast<sock_filter*>(confinement.filter.data())};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace roofline::grader
