// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The wire between program and machine. Broken by: a field list that reads in another order than it writes, a
// length that is believed unchecked, a machine that a malformed packet can stop.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "simulator/channel/machine_clock.h"
#include "simulator/channel/messages.h"
#include "simulator/channel/replies.h"
#include "simulator/channel/socket.h"
#include "simulator/channel/start_machine.h"
#include "simulator/host/session.h"

namespace roofline::sim {
namespace {

using namespace channel;

template <class T>
std::vector<std::byte> packet_of(const T& command, u32 sequence = 7) {
  Writer out;
  encode(out, command, sequence);
  return out.bytes();
}

LaunchKernel some_launch() {
  LaunchKernel launch{3, 4, {5, 6, 7}, {8, 9, 10}, 11, true, std::vector<std::byte>(100)};
  for (size_t i = 0; i < 100; i++) launch.parameters[i] = static_cast<std::byte>(i);
  return launch;
}

TEST(Wire, CommandArrivesAsSent) {
  const auto received = decode(packet_of(some_launch(), 99));
  ASSERT_TRUE(received);
  EXPECT_EQ(received->sequence, 99u);
  const auto* launch = std::get_if<LaunchKernel>(&received->command);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->function, 3u);
  EXPECT_EQ(launch->block.z, 10u);
  EXPECT_EQ(launch->dynamic_shared_bytes, 11u);
  EXPECT_TRUE(launch->cooperative);
  EXPECT_EQ(launch->parameters, some_launch().parameters);

  const auto copy = decode(packet_of(CopyIn{{1, 2, 3, 4}, 5, 6, true, true}));
  ASSERT_TRUE(copy && std::holds_alternative<CopyIn>(copy->command));
  EXPECT_EQ(std::get<CopyIn>(copy->command).to.height, 4u);
  EXPECT_TRUE(std::get<CopyIn>(copy->command).more);
}

/// Every command in its default form survives the round trip under its own number.
template <size_t I = 0>
void every_command() {
  if constexpr (I < std::variant_size_v<Command>) {
    const auto received = decode(packet_of(std::variant_alternative_t<I, Command>{}));
    ASSERT_TRUE(received) << "command " << I;
    EXPECT_EQ(received->command.index(), I);
    every_command<I + 1>();
  }
}
TEST(Wire, EveryCommandHasItsNumber) { every_command(); }

TEST(Wire, OtherLengthsAreRefused) {
  const auto good = packet_of(some_launch());
  for (size_t n = 0; n < good.size(); n++) EXPECT_FALSE(decode(std::span(good).first(n))) << n;
  auto longer = good;
  longer.push_back({});
  EXPECT_FALSE(decode(longer));
  EXPECT_FALSE(decode(std::vector<std::byte>(kMaxPacket + 1)));
}

TEST(Wire, LyingNumbersAreRefused) {
  const auto good = packet_of(some_launch());
  const auto with = [&](size_t at, u32 value) {
    auto bad = good;
    std::memcpy(bad.data() + at, &value, sizeof value);
    return decode(bad).has_value();
  };
  EXPECT_TRUE(with(8, 5));                                                // any sequence
  EXPECT_FALSE(with(0, kMagic + 1));                                      // magic
  EXPECT_FALSE(with(4, static_cast<u32>(std::variant_size_v<Command>)));  // no such command
  EXPECT_FALSE(with(12, 0));                                              // body length
  const size_t cooperative = kHeaderBytes + 8 + 24 + 8;
  auto bad = good;
  bad[cooperative] = std::byte{2};  // neither false nor true
  EXPECT_FALSE(decode(bad));
  EXPECT_FALSE(with(cooperative + 1, 0xffffffff));  // more parameter bytes than there are
  EXPECT_FALSE(with(cooperative + 1, 99));          // fewer: bytes would be left over
}

TEST(Wire, ReaderNeverBelievesACount) {
  Writer out;
  out(u32{0xffffffff});
  std::vector<LoadedFunction> functions;
  std::vector<u64> numbers;
  std::string text;
  Reader a(out.bytes()), b(out.bytes()), c(out.bytes());
  a(functions);
  b(numbers);
  c(text);
  EXPECT_FALSE(a.ok() || b.ok() || c.ok());
  EXPECT_TRUE(functions.empty() && numbers.empty() && text.empty());
}

TEST(Wire, NestedAnswersArriveAsSent) {
  LoadedModule module;
  module.id = 4;
  module.target = 80;
  FunctionFacts kernel;
  kernel.name = "k";
  kernel.parameter_offsets = {0, 8};
  kernel.parameter_sizes = {8, 4};
  kernel.resources.spill_bytes = 12;
  module.functions.push_back({kernel});
  module.variables.push_back({{"v", kDeviceWindow, 4, true, false}});
  Writer out;
  out(module);
  LoadedModule back;
  Reader in(out.bytes());
  in(back);
  ASSERT_TRUE(in.complete());
  EXPECT_EQ(back.functions.at(0).facts.parameter_sizes.at(1), 4u);
  EXPECT_EQ(back.functions[0].facts.resources.spill_bytes, 12u);
  EXPECT_EQ(back.variables.at(0).facts.address, kDeviceWindow);
  EXPECT_TRUE(back.variables[0].facts.constant);
}

/// A small fuzzer that runs everywhere; tests/fuzz has the real one.
TEST(Wire, RandomDamageIsHarmless) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; i++) {
    auto packet = packet_of(some_launch());
    const u32 flips = 1 + random() % 4;
    for (u32 f = 0; f < flips; f++) packet[random() % packet.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) packet.resize(random() % packet.size());
    (void)decode(packet);  // sanitizers watch
  }
}

TEST(Sockets, PacketsKeepTheirEndsAndDescriptors) {
  auto [here, there] = socket_pair();
  const Descriptor memory(memfd_create("test", 0));
  ASSERT_EQ(write(memory.get(), "hello", 5), 5);
  const int fds[] = {memory.get()};
  ASSERT_TRUE(send_packet(here.get(), packet_of(Hello{}), Wait::kBlock, fds));
  ASSERT_TRUE(send_packet(here.get(), packet_of(some_launch()), Wait::kBlock));
  std::vector<std::byte> packet;
  std::vector<Descriptor> got;
  ASSERT_EQ(receive_packet(there.get(), packet, Wait::kBlock, &got), Received::kPacket);
  EXPECT_TRUE(decode(packet));
  ASSERT_EQ(got.size(), 1u);
  char text[6] = {};
  EXPECT_EQ(pread(got[0].get(), text, 5, 0), 5);
  EXPECT_STREQ(text, "hello");
  ASSERT_EQ(receive_packet(there.get(), packet, Wait::kBlock), Received::kPacket);
  EXPECT_EQ(packet, packet_of(some_launch()));
  EXPECT_EQ(receive_packet(there.get(), packet, Wait::kDoNotBlock), Received::kNothing);
  const std::vector<std::byte> big(kMaxPacket + 100);
  ASSERT_TRUE(send_packet(here.get(), big, Wait::kBlock));
  EXPECT_EQ(receive_packet(there.get(), packet, Wait::kBlock), Received::kTooLong);
  here.reset();
  EXPECT_EQ(receive_packet(there.get(), packet, Wait::kBlock), Received::kClosed);
  EXPECT_FALSE(send_packet(there.get(), packet_of(Hello{}), Wait::kBlock));
}

TEST(Machine, SaysWhyThereIsNone) {
  EXPECT_THROW(choose_machine("/nonexistent", ""), std::runtime_error);
  EXPECT_THROW(choose_machine(SIMULATOR_BUILD, "v9"), std::runtime_error);
  EXPECT_NO_THROW(choose_machine(SIMULATOR_BUILD, ""));
  try {
    (void)Session::start(SIMULATOR_BUILD, {.device = "no-such-gpu"});
    FAIL() << "an unknown device must be refused";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("a100-sxm4-40gb"), std::string::npos) << error.what();
  }
}

/// What a hostile program can send: the observer must still get its answers.
TEST(Machine, MalformedPacketEndsTheGuestOnly) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  session.begin_region();
  const std::vector<std::byte> garbage(100, std::byte{0x5a});
  ASSERT_TRUE(send_packet(session.guest_fd(), garbage, Wait::kBlock));
  std::vector<std::byte> packet;
  EXPECT_EQ(receive_packet(session.guest_fd(), packet, Wait::kBlock), Received::kClosed);
  EXPECT_TRUE(session.end_region().kernels.empty());
}

/// Sends one command to a machine and returns the outcome of its answer.
Outcome ask(Session& session, const auto& command) {
  std::vector<std::byte> packet;
  EXPECT_TRUE(send_packet(session.guest_fd(), packet_of(command), Wait::kBlock));
  EXPECT_EQ(receive_packet(session.guest_fd(), packet, Wait::kBlock), Received::kPacket);
  Reader in(packet);
  Header header;
  Outcome outcome;
  in(header, outcome);
  EXPECT_TRUE(in.ok());
  return outcome;
}

/// Memory of the device, as its first command.
u64 allocated(Session& session, u64 bytes) {
  std::vector<std::byte> packet;
  EXPECT_TRUE(send_packet(session.guest_fd(), packet_of(Allocate{bytes, ""}), Wait::kBlock));
  EXPECT_EQ(receive_packet(session.guest_fd(), packet, Wait::kBlock), Received::kPacket);
  Reader in(packet);
  Header header;
  Outcome outcome;
  Address answer;
  in(header, outcome, answer);
  EXPECT_TRUE(in.complete());
  return answer.address;
}

// Broken by: a copy of columns that takes as long as one of rows, so that a transposition is one copy a
// column.
TEST(Machine, CopiesMoveWholeSectors) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  constexpr u64 kRows = 1 << 20, kElement = 4, kPitch = 16;
  const u64 to = allocated(session, kRows * kElement), from = allocated(session, kRows * kPitch);
  const auto seconds = [&](const CopyWithin& copy) {
    session.begin_region();
    EXPECT_EQ(ask(session, copy).status, Status::kOk);
    return session.end_region().virtual_seconds;
  };
  const double packed = seconds({{to, kElement, kElement, kRows}, from, kElement, 0, false, false});
  const double strided = seconds({{to, kElement, kElement, kRows}, from, kPitch, 0, false, false});
  EXPECT_GT(strided, 6 * packed);
  EXPECT_LT(strided, 9 * packed);
}

/// Well-formed commands with impossible numbers.
TEST(Machine, ImpossibleNumbersAreRefused) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  constexpr u64 kHuge = ~u64{0};
  const Rectangle inside{kDeviceWindow, 1, 1, 1};
  EXPECT_EQ(ask(session, Hello{}).status, Status::kOk);
  EXPECT_EQ(ask(session, Hello{kVersion + 1}).status, Status::kUnknown);
  EXPECT_NE(ask(session, Allocate{kHuge, ""}).status, Status::kOk);
  EXPECT_NE(ask(session, AllocateHost{kHuge, ""}).status, Status::kOk);
  EXPECT_NE(ask(session, Release{1}).status, Status::kOk);
  EXPECT_NE(ask(session, ReleaseHost{kHostWindow}).status, Status::kOk);
  EXPECT_NE(ask(session, LoadModule{kHuge}).status, Status::kOk);
  EXPECT_NE(ask(session, LoadModule{100}).status, Status::kOk);  // zeros are no image
  EXPECT_NE(ask(session, UnloadModule{77}).status, Status::kOk);
  EXPECT_NE(ask(session, CopyIn{inside, 0, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, CopyIn{inside, kHuge, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, CopyIn{inside, 0, 55}).status, Status::kOk);
  EXPECT_NE(ask(session, CopyOut{{kDeviceWindow, kHuge, kHuge, kHuge}, 0, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, CopyWithin{inside, kHuge, 1, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, Fill{inside, 0, 3}).status, Status::kOk);
  EXPECT_NE(ask(session, QueryOccupancy{5, {}, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, SetMaxDynamicShared{5, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, AllowPeer{0, true}).status, Status::kOk);  // itself
  EXPECT_NE(ask(session, AllowPeer{kMaxDevices + 1, true}).status, Status::kOk);
  ASSERT_TRUE(send_packet(session.guest_fd(), packet_of(SelectDevice{3}), Wait::kBlock));
  EXPECT_EQ(ask(session, QueryMemory{}).deferred, Status::kInvalidDevice);  // the one it had stays selected
  ASSERT_TRUE(send_packet(session.guest_fd(), packet_of(some_launch()), Wait::kBlock));
  const Outcome after = ask(session, QueryMemory{});
  EXPECT_EQ(after.status, Status::kOk);
  EXPECT_EQ(after.deferred, Status::kInvalidHandle);  // there was no such function
  EXPECT_EQ(ask(session, QueryMemory{}).deferred, Status::kOk);
  EXPECT_EQ(session.end_region().host_to_device_bytes, 0u);
}

template <class Reply>
Reply reply_to(Session& session, const auto& command) {
  std::vector<std::byte> packet;
  EXPECT_TRUE(send_packet(session.guest_fd(), packet_of(command), Wait::kBlock));
  EXPECT_EQ(receive_packet(session.guest_fd(), packet, Wait::kBlock), Received::kPacket);
  Reader in(packet);
  Header header;
  Outcome outcome;
  Reply reply;
  in(header, outcome, reply);
  EXPECT_TRUE(in.complete()) << outcome.message;
  return reply;
}

/// Broken by: a machine that lends or borrows although it may not, that opens what it was not given, or more
/// of it; memory that is reached when its owner has freed it.
TEST(Machine, MemoryIsSharedWithWhoHasItsHandle) {
  Session owner = Session::start(SIMULATOR_BUILD, {.threads = 1, .sharing = true});
  Session other = Session::start(SIMULATOR_BUILD, {.threads = 1, .sharing = true});
  Session graded = Session::start(SIMULATOR_BUILD, {.threads = 1});
  const u64 address = allocated(owner, 1000);
  const Share share{Shared::kMemory, address + 10, 1};
  const auto handle = reply_to<SharedHandle>(owner, share);
  EXPECT_EQ(reply_to<SharedHandle>(owner, share), handle);
  EXPECT_EQ(ask(owner, Share{Shared::kMemory, address + 1000, 1}).status, Status::kInvalidValue);
  EXPECT_EQ(ask(owner, Share{Shared::kPiece, 12'345, 1}).status, Status::kInvalidValue);
  EXPECT_EQ(ask(owner, Share{static_cast<Shared>(99), 1, 1}).status, Status::kInvalidValue);
  EXPECT_EQ(ask(owner, OpenShared{handle}).status, Status::kInvalidContext);
  EXPECT_EQ(ask(graded, OpenShared{handle}).status, Status::kNotSupported);
  EXPECT_EQ(ask(graded, Share{Shared::kPool, 1, 1}).status, Status::kNotSupported);
  EXPECT_EQ(ask(other, OpenShared{handle, Shared::kEvent}).status, Status::kInvalidValue);
  EXPECT_EQ(ask(other, OpenShared{}).status, Status::kMapFailed);
  EXPECT_EQ(ask(other, OpenShared{{handle.machine, handle.number + 1}}).status, Status::kMapFailed);

  const auto opened = reply_to<SharedState>(other, OpenShared{handle});
  EXPECT_EQ(opened.bytes, 1000u);
  const auto fill = [&](u64 bytes) { return Fill{{opened.id, bytes, bytes, 1}, 7, 1}; };
  EXPECT_EQ(ask(other, fill(1000)).status, Status::kOk);
  EXPECT_EQ(ask(other, fill(1001)).status, Status::kInvalidValue);
  const Descriptor file(memfd_create("test", 0));
  ASSERT_TRUE(owner.copy_out(address, 1000, file.get(), 0));
  std::vector<char> bytes(1000);
  EXPECT_EQ(pread(file.get(), bytes.data(), 1000, 0), 1000);
  EXPECT_EQ(bytes, std::vector<char>(1000, 7));

  EXPECT_EQ(ask(other, Release{opened.id}).status, Status::kInvalidValue);
  EXPECT_EQ(ask(other, CloseShared{opened.id + 1}).status, Status::kInvalidValue);
  EXPECT_EQ(ask(other, CloseShared{opened.id}).status, Status::kOk);
  EXPECT_EQ(ask(other, CloseShared{opened.id}).status, Status::kInvalidValue);
  const auto again = reply_to<SharedState>(other, OpenShared{handle});
  EXPECT_EQ(again.id, opened.id);
  EXPECT_EQ(ask(other, fill(1000)).status, Status::kOk);
  EXPECT_EQ(ask(owner, Release{address}).status, Status::kOk);
  const Outcome gone = ask(other, fill(1000));
  EXPECT_EQ(gone.status, Status::kInvalidValue);
  EXPECT_NE(gone.message.find("process 1 freed 1000 bytes"), std::string::npos) << gone.message;
  EXPECT_EQ(ask(other, OpenShared{handle}).status, Status::kMapFailed);
}

/// Broken by: a GPU that carries out, or pays for, what another one was told.
TEST(Machine, CommandsGoToTheSelectedGpu) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .gpus = 3});
  session.begin_region();
  EXPECT_EQ(ask(session, Hello{}).status, Status::kOk);
  const auto select = [&](u32 gpu) {
    ASSERT_TRUE(send_packet(session.guest_fd(), packet_of(SelectDevice{gpu}), Wait::kBlock));
  };
  select(2);
  ASSERT_TRUE(send_packet(session.guest_fd(), packet_of(CreateStream{5, true}), Wait::kBlock));
  EXPECT_EQ(ask(session, QueryStream{5}).status, Status::kOk);
  EXPECT_EQ(ask(session, Allocate{1000, ""}).status, Status::kOk);
  // The first allocation of a GPU lies behind its first page.
  const Rectangle on_third{kDeviceWindow + 2 * kDeviceStride + 4096, 1000, 1000, 1};
  EXPECT_EQ(ask(session, Fill{on_third, 1, 1, 5}).status, Status::kOk);
  // Whose memory it is has to be said right.
  const Descriptor file(memfd_create("test", 0));
  EXPECT_TRUE(session.copy_out(on_third.address, 1000, file.get(), 0, 2));
  EXPECT_FALSE(session.copy_out(on_third.address, 1000, file.get(), 0, 0));
  EXPECT_FALSE(session.copy_in(on_third.address, 1000, file.get(), 0, {.gpu = 3}));
  select(0);
  EXPECT_EQ(ask(session, QueryStream{5}).status, Status::kInvalidHandle);
  EXPECT_EQ(ask(session, Fill{on_third, 1, 1, 0}).status, Status::kOk) << "addresses are unified";
  EXPECT_EQ(ask(session, AllowPeer{2, true}).status, Status::kOk);
  EXPECT_EQ(ask(session, Release{on_third.address, true}).status, Status::kOk);
  EXPECT_NE(ask(session, Fill{on_third, 1, 1, 0}).status, Status::kOk);
  EXPECT_NE(ask(session, Fill{{kDeviceWindow + 9 * kDeviceStride, 1, 1, 1}, 1, 1, 0}).status, Status::kOk);
  select(2);
  EXPECT_EQ(ask(session, Allocate{100, ""}).status, Status::kOk);
  select(1);
  EXPECT_EQ(ask(session, Allocate{100, ""}).status, Status::kOk);
  const Rectangle on_second{kDeviceWindow + kDeviceStride + 4096, 100, 100, 1};
  EXPECT_EQ(ask(session, CopyWithin{on_second, kDeviceWindow + 2 * kDeviceStride + 4096, 100, 0, true, false})
                .status,
            Status::kOk);
  EXPECT_EQ(ask(session, Synchronize{}).status, Status::kOk);
  select(2);
  EXPECT_EQ(ask(session, ResetDevice{}).status, Status::kOk);
  const Region region = session.end_region();
  EXPECT_EQ(region.fill_bytes, 2000u);
  ASSERT_EQ(region.gpus.size(), 3u);
  EXPECT_EQ(region.gpus[2].sent_bytes, 100u);
  EXPECT_EQ(region.gpus[1].received_bytes, 100u);
  EXPECT_EQ(region.gpus[1].sent_bytes + region.gpus[0].received_bytes, 0u);
  EXPECT_GE(region.host_waits, 1u);
}

/// Broken by: work in the legacy default stream that is taken for work in a stream of the program's own.
TEST(Machine, CopiesInTheDefaultStreamAreCounted) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  EXPECT_EQ(ask(session, Hello{}).status, Status::kOk);
  EXPECT_EQ(ask(session, Allocate{1000, ""}).status, Status::kOk);
  ASSERT_TRUE(send_packet(session.guest_fd(), packet_of(CreateStream{5, true}), Wait::kBlock));
  const Rectangle all{kDeviceWindow + 4096, 1000, 1000, 1};
  session.begin_region();
  EXPECT_EQ(ask(session, Fill{all, 1, 1, 5}).status, Status::kOk);
  EXPECT_EQ(session.end_region().default_stream_copies, 0u);
  EXPECT_EQ(ask(session, Fill{all, 1, 1, kLegacyDefaultStream}).status, Status::kOk);
  EXPECT_EQ(session.end_region().default_stream_copies, 1u);
}

/// Sends a command and reads the fields of its answer.
template <class Reply>
Reply reply_of(Session& session, const auto& command, std::vector<Descriptor>* descriptors = nullptr) {
  std::vector<std::byte> packet;
  EXPECT_TRUE(send_packet(session.guest_fd(), packet_of(command), Wait::kBlock));
  EXPECT_EQ(receive_packet(session.guest_fd(), packet, Wait::kBlock, descriptors), Received::kPacket);
  Reader in(packet);
  Header header;
  Outcome outcome;
  Reply reply;
  in(header, outcome, reply);
  EXPECT_TRUE(in.complete());
  return reply;
}

/// The staging memory of a machine, mapped as a program has it.
class Staging {
 public:
  explicit Staging(Session& session) {
    std::vector<Descriptor> memories;
    const auto welcome = reply_of<Welcome>(session, Hello{}, &memories);
    host_window_bytes = welcome.host_window_bytes;
    void* at = mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memories.at(0).get(), 0);
    EXPECT_NE(at, MAP_FAILED);
    bytes_ = static_cast<std::byte*>(at);
  }
  ~Staging() { munmap(bytes_, kStagingBytes); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  void put(const void* data, size_t bytes) { std::memcpy(bytes_, data, bytes); }
  u64 host_window_bytes = 0;

 private:
  std::byte* bytes_;
};

// Broken by: work between two questions of the observer that no region counts.
/// Broken by: a machine of a grade that believes what a program says about time.
TEST(Machine, IsToldOfHostTimeOnlyWhereItMayBe) {
  for (const bool allowed : {false, true}) {
    MachineOptions options;
    options.host_time = allowed;
    auto session = Session::start(SIMULATOR_BUILD, options);
    const auto clock_after = [&](double seconds) {
      send_packet(session.guest_fd(), packet_of(HostTime{seconds}), Wait::kBlock);
      std::vector<Descriptor> memories;
      reply_of<Welcome>(session, Hello{}, &memories);
      void* at = mmap(nullptr, kMachineClockBytes, PROT_READ, MAP_SHARED, memories.at(2).get(), 0);
      const double shown = static_cast<const MachineClock*>(at)->seconds;
      munmap(at, kMachineClockBytes);
      return shown;
    };
    EXPECT_DOUBLE_EQ(clock_after(0.25), allowed ? 0.25 : 0);
    for (const double nonsense : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()})
      EXPECT_DOUBLE_EQ(clock_after(nonsense), allowed ? 0.25 : 0);
    EXPECT_DOUBLE_EQ(session.end_region().host_code_seconds, allowed ? 0.25 : 0);
  }
}

TEST(Machine, NothingIsBetweenTwoRegions) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  session.begin_region();
  const u64 address = reply_of<Address>(session, Allocate{100, ""}).address;
  EXPECT_EQ(session.end_region().fill_bytes, 0u);
  EXPECT_EQ(ask(session, Fill{{address, 100, 100, 1}, 1, 1, 0}).status, Status::kOk);
  const Region region = session.end_region();
  EXPECT_EQ(region.fill_bytes, 100u);
  EXPECT_GE(region.device_bytes_peak, 100u) << "what is allocated stays so";
}

// Broken by: an array that is not filled, or that is believed to be where the program says.
TEST(Machine, TheObserverFillsAndReadsAllocations) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  Staging staging(session);
  std::vector<std::byte> data(5000), got(5000);
  for (size_t i = 0; i < data.size(); i++) data[i] = static_cast<std::byte>(i * 7);
  const u64 bytes = data.size(), address = reply_of<Address>(session, Allocate{bytes, ""}).address;
  const Descriptor file(memfd_create("test", 0));
  EXPECT_FALSE(session.copy_in(address, bytes, file.get(), 10)) << "the file is empty";
  ASSERT_EQ(pwrite(file.get(), data.data(), bytes, 10), static_cast<ssize_t>(bytes));
  session.begin_region();
  EXPECT_TRUE(session.copy_in(address, bytes, file.get(), 10));
  const Region region = session.end_region();
  EXPECT_EQ(region.host_to_device_bytes, 0u) << "it is no copy of the program";
  EXPECT_EQ(region.virtual_seconds, 0);
  EXPECT_TRUE(session.copy_out(address, bytes, file.get(), 20'000));
  EXPECT_EQ(pread(file.get(), got.data(), bytes, 20'000), static_cast<ssize_t>(bytes));
  EXPECT_EQ(got, data);

  const u64 pinned = reply_of<Address>(session, AllocateHost{bytes, "", false}).address;
  for (const auto& [at, size] : {std::pair{address, bytes - 1},
                                 {address + 256, u64{256}},
                                 {pinned, bytes},
                                 {u64{0}, bytes},
                                 {~u64{0}, u64{2}},
                                 {address, u64{0}}}) {
    EXPECT_FALSE(session.copy_in(at, size, file.get(), 0)) << at;
    EXPECT_FALSE(session.copy_out(at, size, file.get(), 0)) << at;
  }
}

// Broken by: scratch memory of a call that counts as written.
TEST(Machine, WhatTheObserverCallsGarbageNobodyWrote) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .checks = kCheckInit});
  Staging staging(session);
  const u64 bytes = 1024, address = reply_of<Address>(session, Allocate{bytes, ""}).address;
  const Descriptor file(memfd_create("test", 0));
  ASSERT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  const Rectangle all{address, bytes, bytes, 1};
  ASSERT_TRUE(session.copy_in(address, bytes, file.get(), 0));
  EXPECT_EQ(ask(session, CopyOut{all, 0, 0, false}).status, Status::kOk);
  EXPECT_TRUE(session.findings().empty());
  ASSERT_TRUE(session.copy_in(address, bytes, file.get(), 0, {.garbage = true}));
  EXPECT_EQ(ask(session, CopyOut{all, 0, 0, false}).status, Status::kOk);
  ASSERT_EQ(session.findings().size(), 1U);
  EXPECT_NE(session.findings()[0].message.find("1024 bytes that nobody wrote"), std::string::npos);
}

// Broken by: a way to the device that is not counted.
TEST(Machine, CountsWhatComesBesideCopies) {
  const std::string ptx =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 data[2] = {1, 2};\n"
      ".visible .entry k(.param .align 4 .b8 values[1000]) { ret; }\n";
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  Staging staging(session);
  session.begin_region();
  staging.put(ptx.c_str(), ptx.size() + 1);
  EXPECT_EQ(ask(session, LoadModule{ptx.size() + 1}).status, Status::kOk);
  EXPECT_EQ(session.end_region().from_host.code, ptx.size());
  LaunchKernel launch{.grid = {1, 1, 1}, .block = {1, 1, 1}, .parameters = std::vector<std::byte>(1000)};
  for (int i = 0; i < 2; i++) ASSERT_TRUE(send_packet(session.guest_fd(), packet_of(launch), Wait::kBlock));
  EXPECT_EQ(ask(session, Synchronize{}).deferred, Status::kOk);
  const u64 address = reply_of<Address>(session, Allocate{4096, ""}).address;
  for (u32 i = 0; i < 3; i++)
    EXPECT_EQ(ask(session, Fill{{address, 4096, 4096, 1}, 0x12345678, 4, 0}).status, Status::kOk);
  const Region region = session.end_region();
  EXPECT_EQ(region.kernels.size(), 2u);
  EXPECT_EQ(region.from_host.parameters, 2 * (1000 - kPlainParameterBytes));
  EXPECT_EQ(region.from_host.fills, 3 * 4u);
  EXPECT_EQ(region.from_host.total(), region.from_host.parameters + 12);
  EXPECT_EQ(region.host_to_device_bytes, 0u);
}

// Broken by: memory of the host's that a program can fill without its own limits noticing.
TEST(Machine, HostMemoryEndsWhereItIsLimited) {
  constexpr u64 kLimit = u64{1} << 20;
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1, .host_memory = kLimit});
  EXPECT_EQ(Staging(session).host_window_bytes, kLimit);
  EXPECT_EQ(ask(session, AllocateHost{kLimit + 1, "", false}).status, Status::kOutOfMemory);
  EXPECT_EQ(ask(session, AllocateHost{kLimit, "", false}).status, Status::kOk);
  EXPECT_EQ(ask(session, AllocateHost{1, "", true}).status, Status::kOutOfMemory);
}

// Broken by: an observer that waits until a program has nothing more to say.
TEST(Machine, AnswersTheObserverOfAProgramThatNeverStops) {
  Session session = Session::start(SIMULATOR_BUILD, {.threads = 1});
  session.set_patience(60);
  std::atomic<bool> done = false;
  std::thread sender([&] {
    const auto packet = packet_of(SelectDevice{0});
    while (!done && send_packet(session.guest_fd(), packet, Wait::kBlock)) {
    }
  });
  for (int i = 0; i < 3; i++) EXPECT_NO_THROW(session.end_region());
  done = true;
  sender.join();
}

}  // namespace
}  // namespace roofline::sim
