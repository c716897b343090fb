// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A program that speaks the channel's language and lies in every field: commands made from the lists of
// fields that messages.h gives, with numbers that a program should not send. Broken by: a number that the
// machine uses unchecked, a command that keeps the observer from its answers, memory that grows without a
// limit.
//
// ROOFLINE_ADVERSARY_SECONDS: how long (3). ROOFLINE_ADVERSARY_SEED: where to begin (1); each session has the
// next.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "simulator/channel/messages.h"
#include "simulator/channel/replies.h"
#include "simulator/channel/socket.h"
#include "simulator/host/session.h"

namespace roofline::sim {
namespace {

using namespace channel;

constexpr u64 kDeviceBytes = u64{32} << 20, kHostBytes = u64{8} << 20;
constexpr u64 kMostResident = u64{2} << 30;  ///< of the machine; sanitizers take most of it
constexpr int kCommandsASession = 400;
constexpr double kPatience = 60;  // of the observer; sanitizers are slow

/// One kernel stores, loads, loops and waits, as its parameters say; the other waits for a word that nobody
/// writes.
constexpr const char* kModule = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 data[3] = {1, 2, 3};
.visible .entry work(.param .u64 at, .param .u32 n)
{
.reg .pred %p<2>;
.reg .u32 %r<4>;
.reg .u64 %rd<2>;
ld.param.u64 %rd1, [at];
ld.param.u32 %r1, [n];
mov.u32 %r2, %tid.x;
loop:
st.global.u32 [%rd1], %r2;
ld.global.u32 %r3, [%rd1+4];
bar.sync 0;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r1;
@%p1 bra loop;
ret;
}
.visible .global .align 4 .u32 flag = 0;
.visible .entry wait(.param .u64 at, .param .u32 n)
{
.reg .pred %p<2>;
.reg .u32 %r<2>;
loop:
ld.volatile.global.u32 %r1, [flag];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra loop;
ret;
}
)";

/// Visits a message's fields as Writer and Reader do, and fills them.
class Liar {
 public:
  explicit Liar(u32 seed) : random_(seed) {}

  template <class... T>
  void operator()(T&... values) {
    (lie(values), ...);
  }
  u32 below(u32 n) { return static_cast<u32>(random_() % n); }

 private:
  template <Number T>
  void lie(T& value) {
    value = static_cast<T>(number());
  }
  void lie(bool& value) { value = below(2) == 1; }
  void lie(Dim3& value) { (*this)(value.x, value.y, value.z); }
  void lie(std::string& value) { value.assign(below(100), static_cast<char>(below(256))); }
  void lie(std::byte& value) { value = static_cast<std::byte>(random_()); }
  template <class T>
  void lie(std::vector<T>& value) {
    value.resize(below(4) == 0 ? below(300) : below(13));
    for (T& element : value) lie(element);
  }
  template <Message<Liar> T>
  void lie(T& value) {
    value.fields(*this);
  }

  /// Half of them small, as true ones are: lies alone would be refused at the first field.
  u64 number() {
    static constexpr u64 kAddresses[] = {kDeviceWindow + 4096, kHostWindow,   kHostWindow + kHostBytes - 4,
                                         kDeviceWindow,        kSharedWindow, kDeviceWindow + kDeviceStride};
    switch (below(8)) {
      case 0:
        return random_();
      case 1:
        return ~u64{0} - below(3);
      case 2:
        return u64{1} << below(64);
      case 3:
        return kAddresses[below(std::size(kAddresses))] + (below(2) == 0 ? 0 : below(1 << 16));
      default:
        return below(below(2) == 0 ? 4 : 4097);
    }
  }

  std::mt19937_64 random_;
};

template <size_t I = 0>
bool encode_lie(Writer& out, u32 kind, Liar& liar, u32 sequence) {
  if constexpr (I < std::variant_size_v<Command>) {
    if (kind != I) return encode_lie<I + 1>(out, kind, liar, sequence);
    std::variant_alternative_t<I, Command> command;
    command.fields(liar);
    encode(out, command, sequence);
    return kPosted<std::variant_alternative_t<I, Command>>;
  }
  return true;
}

class Adversary {
 public:
  Adversary(Session& session, u32 seed) : fd_(session.guest_fd()), liar_(seed) {
    Writer hello;
    encode(hello, Hello{}, 0);
    std::vector<Descriptor> memories;
    send_packet(fd_, hello.bytes(), Wait::kBlock);
    receive_packet(fd_, packet_, Wait::kBlock, &memories);
    if (!memories.empty())
      staging_ = mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memories[0].get(), 0);
  }
  ~Adversary() {
    if (staging_ != MAP_FAILED) munmap(staging_, kStagingBytes);
  }
  Adversary(const Adversary&) = delete;
  Adversary& operator=(const Adversary&) = delete;

  /// Sends one command; false when the machine hung up.
  bool act() {
    Writer out;
    bool posted = false;
    switch (liar_.below(14)) {
      case 0:
        posted = load_module(out);
        break;
      case 1:
        encode(out, Allocate{liar_.below(1 << 20), "adversary"}, 0);
        break;
      case 2:
        encode(out, AllocateHost{liar_.below(1 << 20), "adversary", liar_.below(2) == 0}, 0);
        break;
      case 3:
        encode(out, ResetDevice{}, 0);
        break;
      case 4:
        posted = launch(out);
        break;
      case 5:
        posted = define_graph(out);
        break;
      case 6:
        posted = go_on(out);
        break;
      default:
        posted = encode_lie(out, liar_.below(std::variant_size_v<Command>), liar_, 0);
    }
    if (out.bytes().size() > kMaxPacket) return true;
    if (!send_packet(fd_, out.bytes(), Wait::kBlock)) return false;
    return posted || receive_packet(fd_, packet_, Wait::kBlock) == Received::kPacket;
  }

 private:
  bool put(std::span<const std::byte> bytes) {
    if (staging_ != MAP_FAILED) std::memcpy(staging_, bytes.data(), bytes.size());
    return false;
  }
  bool load_module(Writer& out) {
    std::string text = kModule;
    if (liar_.below(4) == 0)
      text[liar_.below(static_cast<u32>(text.size()))] = static_cast<char>(liar_.below(256));
    encode(out, LoadModule{text.size() + 1}, 0);
    return put(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }
  bool launch(Writer& out) {
    LaunchKernel command;
    make_sound(command);
    encode(out, command, 0);
    return true;
  }
  void make_sound(LaunchKernel& command) {
    command.fields(liar_);
    command.function = liar_.below(4);
    command.stream = liar_.below(2);
    command.grid = {1 + liar_.below(4), 1, 1};
    command.block = {1 + liar_.below(64), 1, 1};
    command.dynamic_shared_bytes = 0;
    command.cluster = {0, 0, 0};
    command.parameters.resize(12);
  }
  /// What comes after launches that wait, in streams that exist.
  bool go_on(Writer& out) {
    switch (liar_.below(5)) {
      case 0:
        encode(out, CreateStream{1, liar_.below(2) == 0}, 0);
        return true;
      case 1:
        if (liar_.below(2) == 0) encode(out, KeepGraph{liar_.below(3), liar_.below(3)}, 0);
        encode(out, LaunchGraph{liar_.below(3), liar_.below(2), liar_.below(3), 0, liar_.below(4) == 0}, 0);
        return true;
      case 2:
        encode(out, GiveUpWaiting{}, 0);
        return true;
      case 3:
        encode(out, ResumeGraph{liar_.below(3), liar_.below(3)}, 0);
        return false;
      default:
        encode(out, AwaitKernel{liar_.below(2)}, 0);
        return false;
    }
  }
  bool define_graph(Writer& out) {
    GraphDefinition graph;
    graph.fields(liar_);
    for (u32 i = 0; i < graph.nodes.size(); i++) {
      graph.nodes[i].kind = static_cast<GraphNode::Kind>(liar_.below(10));
      if (liar_.below(2) == 0) make_sound(graph.nodes[i].kernel);
      for (u32& from : graph.nodes[i].dependencies)
        from = i == 0 ? from : liar_.below(i + (liar_.below(9) == 0));
    }
    Writer body;
    body(graph);
    encode(out, DefineGraph{liar_.below(3), body.bytes().size()}, 0);
    return put(body.bytes());
  }

  int fd_;
  Liar liar_;
  void* staging_ = MAP_FAILED;
  std::vector<std::byte> packet_;
};

u64 resident_bytes(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  u64 mapped = 0, pages = 0;
  file >> mapped >> pages;
  return pages * 4096;
}

double environment(const char* name, double otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atof(text) : otherwise;
}

TEST(Adversary, NeverTakesTheMachineFromTheObserver) {
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::duration<double>(environment("ROOFLINE_ADVERSARY_SECONDS", 3));
  u64 commands = 0;
  auto seed = static_cast<u32>(environment("ROOFLINE_ADVERSARY_SEED", 1));
  for (; std::chrono::steady_clock::now() < end; seed++) {
    SCOPED_TRACE("ROOFLINE_ADVERSARY_SEED=" + std::to_string(seed));
    Session session = Session::start(SIMULATOR_BUILD, {.threads = 1,
                                                       .checks = seed % 3 == 0 ? u32{kCheckAll} : 0,
                                                       .device_memory = kDeviceBytes,
                                                       .host_memory = kHostBytes,
                                                       .time_limit = 0.2});
    session.set_patience(kPatience);
    session.begin_region();
    Adversary adversary(session, seed);
    for (int i = 0; i < kCommandsASession && adversary.act(); i++) commands++;
    ASSERT_NO_THROW((void)session.end_region());  // the machine is there, and answers
    ASSERT_LT(resident_bytes(session.machine_pid()), kMostResident);
    ASSERT_NO_THROW((void)session.findings());
    ASSERT_NO_THROW((void)session.lines());
  }
  std::printf("%llu commands, seeds to %u\n", static_cast<unsigned long long>(commands), seed);
  EXPECT_GT(commands, 100u);
}

}  // namespace
}  // namespace roofline::sim
