// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simulator/channel/shared_handle.h"
#include "simulator/channel/status.h"
#include "simulator/channel/wire.h"
#include "simulator/program/address_windows.h"
#include "simulator/program/mapped_memory.h"
#include "simulator/program/texture.h"
#include "simulator/program/word_operation.h"

/// What the CUDA program asks of the machine. Addresses are device addresses or offsets into the staging
/// memory, never host pointers. A command is one packet: a Header and the fields; the answer likewise.
namespace roofline::sim::channel {

inline constexpr u32 kMagic = 0x4c465231;  // "1RFL"
inline constexpr u32 kVersion = 1;
/// A packet is never longer. The largest fixed need is a launch with 32764 bytes of parameters.
inline constexpr size_t kMaxPacket = 64 * 1024;
/// Bulk data travels through shared memory of this size; longer copies go in pieces.
inline constexpr u64 kStagingBytes = u64{64} << 20;
/// Pinned, mapped and managed memory, at kHostWindow in both processes; sparse.
inline constexpr u64 kHostWindowBytes = u64{64} << 30;

struct Header {
  u32 magic = kMagic;
  u32 kind = 0;      ///< index into Command; answers repeat it
  u32 sequence = 0;  ///< answers repeat it
  u32 bytes = 0;     ///< that follow
  void fields(auto& io) { io(magic, kind, sequence, bytes); }
};
inline constexpr size_t kHeaderBytes = 16;

// Commands marked "posted" have no answer: what goes wrong is reported by the next answer.

struct Hello {
  u32 version = kVersion;
  void fields(auto& io) { io(version); }
};
/// `bytes` at the start of the staging memory: a fat binary, a PTX text or a cubin. Answered by LoadedModule,
/// which lies in the staging memory. For a program built with relocatable device code: the linked image and
/// then the image of each translation unit, behind each other; `parts` holds their sizes. `program_module`:
/// the program's own number of it; the managed variables of a module are the same on all GPUs that load it.
struct LoadModule {
  u64 bytes = 0;
  std::vector<u64> parts = {};  ///< empty: one image
  u32 program_module = 0;
  void fields(auto& io) { io(bytes, parts, program_module); }
};
struct UnloadModule {
  u32 module = 0;
  void fields(auto& io) { io(module); }
};
struct Allocate {
  u64 bytes = 0;
  std::string origin;     ///< the call
  std::string site = {};  ///< " at saxpy.cu:31", while memory is checked and when it is known
  void fields(auto& io) { io(bytes, origin, site); }
};
/// `ordered`: freed in stream order (cudaFreeAsync); otherwise the host waits for the device first.
struct Release {
  u64 address = 0;
  bool ordered = false;
  u32 stream = 0;  ///< whose order
  void fields(auto& io) { io(address, ordered, stream); }
};
struct AllocateHost {
  u64 bytes = 0;
  std::string origin;
  bool managed = false;  ///< its pages move
  void fields(auto& io) { io(bytes, origin, managed); }
};
struct ReleaseHost {
  u64 address = 0;
  void fields(auto& io) { io(address); }
};
/// A rectangle of `height` rows of `width` bytes; a plain copy has height 1. In staging memory rows are
/// packed.
struct Rectangle {
  u64 address = 0, pitch = 0, width = 0, height = 1;
  void fields(auto& io) { io(address, pitch, width, height); }
};
/// `more`: the next command carries on with the same copy (virtual time counts it once). What passes through
/// staging memory is pageable: pinned memory is in the host window, and CopyWithin moves it.
struct CopyIn {
  Rectangle to;
  u64 staging_offset = 0;
  u32 stream = 0;
  bool async = false, more = false;
  void fields(auto& io) { io(to, staging_offset, stream, async, more); }
};
struct CopyOut {
  Rectangle from;
  u64 staging_offset = 0;
  u32 stream = 0;
  bool async = false, more = false;
  void fields(auto& io) { io(from, staging_offset, stream, async, more); }
};
/// Between device memory and device or pinned memory.
struct CopyWithin {
  Rectangle to;
  u64 from = 0, from_pitch = 0;
  u32 stream = 0;
  bool async = false, more = false;
  void fields(auto& io) { io(to, from, from_pitch, stream, async, more); }
};
/// Rows of width / element_bytes equal elements of 1, 2 or 4 bytes.
struct Fill {
  Rectangle to;
  u32 value = 0, element_bytes = 1;
  u32 stream = 0;
  bool async = false;
  void fields(auto& io) { io(to, value, element_bytes, stream, async); }
};
/// Posted.
struct LaunchKernel {
  u32 function = 0, stream = 0;
  Dim3 grid, block;
  u64 dynamic_shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::byte> parameters;
  Dim3 cluster{0, 0, 0};  ///< blocks of a cluster; 0: as the kernel was compiled
  s32 priority = 0;       ///< lower is more urgent
  void fields(auto& io) {
    io(function, stream, grid, block, dynamic_shared_bytes, cooperative, parameters, cluster, priority);
  }
};
/// Posted. The program chooses stream and event numbers; 0 is the legacy default stream.
struct CreateStream {
  u32 stream = 0;
  bool non_blocking = false;
  void fields(auto& io) { io(stream, non_blocking); }
};
/// Posted.
struct DestroyStream {
  u32 stream = 0;
  void fields(auto& io) { io(stream); }
};
/// Posted.
struct RecordEvent {
  u32 event = 0, stream = 0;
  void fields(auto& io) { io(event, stream); }
};
/// Posted.
struct WaitEvent {
  u32 stream = 0, event = 0;
  void fields(auto& io) { io(stream, event); }
};
/// Answered by EventState: whether the event's work is done at the host's virtual time, and when it ends.
struct QueryEvent {
  u32 event = 0;
  void fields(auto& io) { io(event); }
};
struct QueryStream {
  u32 stream = 0;
  void fields(auto& io) { io(stream); }
};
struct Synchronize {
  enum class Scope : u32 { kDevice, kStream, kEvent } scope = Scope::kDevice;
  u32 id = 0;
  void fields(auto& io) { io(scope, id); }
};
struct QueryMemory {
  void fields(auto&) {}
};
/// Answered by AllocationState: the live allocation around an address.
struct QueryAllocation {
  u64 address = 0;
  void fields(auto& io) { io(address); }
};
struct QueryOccupancy {
  u32 function = 0;
  Dim3 block;
  u64 dynamic_shared_bytes = 0;
  void fields(auto& io) { io(function, block, dynamic_shared_bytes); }
};
struct SetMaxDynamicShared {
  u32 function = 0;
  u64 bytes = 0;
  void fields(auto& io) { io(function, bytes); }
};
struct SetLimit {
  enum class Limit : u32 { kStack, kHeap, kPendingLaunches } limit = Limit::kStack;
  u64 bytes = 0;  ///< kPendingLaunches: a number
  void fields(auto& io) { io(limit, bytes); }
};
/// What kernels printed since the last call, answered in pieces.
struct TakeOutput {
  void fields(auto&) {}
};
struct ResetDevice {
  void fields(auto&) {}
};
/// Posted. The program called a function that the runtime does not have.
struct ReportMissing {
  std::string name;
  void fields(auto& io) { io(name); }
};
/// Posted. The commands that follow are for this GPU; 0 at first.
struct SelectDevice {
  u32 device = 0;
  void fields(auto& io) { io(device); }
};
/// Whether the selected GPU's kernels may touch the memory of `peer`.
struct AllowPeer {
  u32 peer = 0;
  bool allow = true;
  void fields(auto& io) { io(peer, allow); }
};

/// A copy of `depth` slices of a rectangle. Bytes that come from or go to memory of the program that the
/// machine does not see pass through the staging memory while the graph runs (see GraphStop).
struct GraphCopy {
  Rectangle to;  ///< its pitch, width and height are the rows'
  u64 from = 0, from_pitch = 0, depth = 1, to_slice = 0, from_slice = 0;
  void fields(auto& io) { io(to, from, from_pitch, depth, to_slice, from_slice); }
};
/// What a conditional node does with its bodies.
struct GraphCondition {
  enum class Kind : u32 {
    kIf,     ///< the first body where the value is not 0, else the second, if there is one
    kWhile,  ///< the body as long as the value is not 0
    kSwitch  ///< the body with the value's number, if there is one
  } kind = Kind::kIf;
  u64 number = 0;         ///< of the condition (CreateCondition)
  bool assigned = false;  ///< each launch of the graph gives it `value`
  u32 value = 0;
  std::vector<u32> bodies;  ///< numbers, larger than the one of the node's own body
  void fields(auto& io) { io(kind, number, assigned, value, bodies); }
};
/// One piece of work of an executable graph. The stream numbers in it mean nothing.
struct GraphNode {
  enum class Kind : u32 {
    kEmpty,
    kKernel,
    kCopy,     ///< between addresses of the machine
    kCopyIn,   ///< `to` of the machine
    kCopyOut,  ///< `from` of the machine
    kFill,
    kHost,  ///< a function of the program
    kRecordEvent,
    kWaitEvent,
    kCondition,
    kWords  ///< operations on words of memory, in order
  } kind = Kind::kEmpty;
  bool enabled = true;
  std::vector<u32> dependencies;  ///< places of nodes in the graph, of the same body
  u32 body = 0;                   ///< of a conditional node, that it belongs to; 0: the graph itself
  LaunchKernel kernel;
  GraphCopy copy;
  Fill fill;
  u32 event = 0;
  GraphCondition condition;
  std::vector<WordOperation> words;
  void fields(auto& io) {
    io(kind, enabled, dependencies, body);
    if (kind == Kind::kKernel) io(kernel);
    if (kind == Kind::kCopy || kind == Kind::kCopyIn || kind == Kind::kCopyOut) io(copy);
    if (kind == Kind::kFill) io(fill);
    if (kind == Kind::kRecordEvent || kind == Kind::kWaitEvent) io(event);
    if (kind == Kind::kCondition) io(condition);
    if (kind == Kind::kWords) io(words);
  }
};
struct GraphDefinition {
  std::vector<GraphNode> nodes;
  bool own_priorities = false;  ///< of its kernels; else they have that of the launch
  void fields(auto& io) { io(nodes, own_priorities); }
};
/// Instantiation: a GraphDefinition lies in the first `bytes` of the staging memory. The program chooses the
/// number; a graph that has it is replaced. Answered by GraphFacts.
struct DefineGraph {
  u32 graph = 0;
  u64 bytes = 0;
  void fields(auto& io) { io(graph, bytes); }
};
/// New parameters for one node of an executable graph; its kind and dependencies stay. Answered by
/// GraphFacts.
struct UpdateGraphNode {
  u32 graph = 0, place = 0;
  GraphNode node;
  void fields(auto& io) { io(graph, place, node); }
};
/// Posted. A run that begins later executes what the graph is now, whatever becomes of the graph.
struct KeepGraph {
  u32 graph = 0, run = 0;
  void fields(auto& io) { io(graph, run); }
};
/// Posted. The program chooses the number of the run; a graph without nodes that need the program or may wait
/// is over when the command is.
struct LaunchGraph {
  u32 graph = 0, stream = 0, run = 0;
  s32 priority = 0;   ///< of the stream
  bool kept = false;  ///< what it executes was kept
  void fields(auto& io) { io(graph, stream, run, priority, kept); }
};
/// Answered by GraphStop: the node at which the run waits for the program. `served`: so many stops of the run
/// have been dealt with; the run goes on when that is one more than before, or when a kernel of it waits.
struct ResumeGraph {
  u32 run = 0;
  u64 served = 0;
  void fields(auto& io) { io(run, served); }
};
/// Posted.
struct UploadGraph {
  u32 graph = 0, stream = 0;
  void fields(auto& io) { io(graph, stream); }
};
/// Posted.
struct DestroyGraph {
  u32 graph = 0;
  void fields(auto& io) { io(graph); }
};

/// Posted; only when the device is checked. Host code touched memory of the host window that work in flight
/// may touch too.
struct ReportHostAccess {
  u64 address = 0;
  bool write = false;
  void fields(auto& io) { io(address, write); }
};
/// Answered by BusyMemory: pages of the host window that work in flight touches. Only when it is checked.
struct QueryBusy {
  void fields(auto&) {}
};

/// Moves the pages of a range of managed memory to the selected GPU or to the host.
struct PrefetchManaged {
  u64 address = 0, bytes = 0;
  bool to_device = true;
  u32 stream = 0;
  void fields(auto& io) { io(address, bytes, to_device, stream); }
};

/// Posted; only where MachineOptions::host_time allows it. The program's own code took so long since the last
/// command.
struct HostTime {
  double seconds = 0;
  void fields(auto& io) { io(seconds); }
};

/// Posted. A launch was refused before it reached the machine.
struct ReportRefusal {
  void fields(auto&) {}
};

/// Posted; only when the device is checked. A call of the program failed.
struct ReportFailedCall {
  std::string call;         ///< "cudaMemcpy", or the kernel that was not launched
  std::string error, text;  ///< "cudaErrorInvalidValue", "invalid argument"
  std::string site;         ///< where the program called
  bool launch = false;      ///< by <<<...>>>, which returns nothing
  void fields(auto& io) { io(call, error, text, site, launch); }
};
/// Posted; only when the device is checked. The program asked which error there was.
struct ReportErrorSeen {
  void fields(auto&) {}
};

/// Addresses without memory, and memory without an address, as in device/virtual_memory.h. Answered by
/// Address.
struct ReserveAddresses {
  u64 bytes = 0, alignment = 0;
  void fields(auto& io) { io(bytes, alignment); }
};
struct FreeAddresses {
  u64 address = 0, bytes = 0;
  void fields(auto& io) { io(address, bytes); }
};
/// Answered by Address: the number of the piece.
struct CreateMemory {
  u64 bytes = 0;
  void fields(auto& io) { io(bytes); }
};
struct ReleaseMemory {
  u64 piece = 0;
  void fields(auto& io) { io(piece); }
};
struct MapMemory {
  u64 address = 0, bytes = 0, piece = 0;
  void fields(auto& io) { io(address, bytes, piece); }
};
struct UnmapMemory {
  u64 address = 0, bytes = 0;
  void fields(auto& io) { io(address, bytes); }
};
/// Of the GPU that is asked.
struct AllowAccess {
  u64 address = 0, bytes = 0;
  MappedAccess access = MappedAccess::kNone;
  std::string site = {};  ///< as in Allocate
  void fields(auto& io) { io(address, bytes, access, site); }
};
/// Answered by MappingState: what is mapped at an address, of which `retain` makes one more owner; or whose a
/// piece is.
struct QueryMapping {
  u64 address = 0;
  bool retain = false;
  u64 piece = 0;
  void fields(auto& io) { io(address, retain, piece); }
};
/// A texture or surface object. Answered by Address, which holds its number.
struct CreateTexture {
  TextureObject object;
  void fields(auto& io) { io(object); }
};
struct DestroyTexture {
  u64 number = 0;
  void fields(auto& io) { io(number); }
};

/// A value that kernels set and conditional nodes look at. Answered by Address, which holds its number.
struct CreateCondition {
  void fields(auto&) {}
};
/// Posted.
struct DestroyCondition {
  u64 number = 0;
  void fields(auto& io) { io(number); }
};

/// Posted.
struct WriteWord {
  u32 stream = 0;
  WordOperation operation;
  void fields(auto& io) { io(stream, operation); }
};
/// Answered by WordState: whether the wait is over. Until then the program holds back what follows in the
/// stream, and asks again.
struct AwaitWord {
  u32 stream = 0;
  WordOperation operation;
  void fields(auto& io) { io(stream, operation); }
};
/// Posted. All threads of the program wait for streams that wait for a word or a kernel, and for long nothing
/// has ended that.
struct GiveUpWaiting {
  void fields(auto&) {}
};
/// Answered by KernelState: whether the kernel that was launched last in a stream has ended. One that waits
/// in memory for what comes after it looks again. Until it ends the program holds back what follows in the
/// stream, and asks again. What a fault came to is told by later answers.
struct AwaitKernel {
  u32 stream = 0;
  void fields(auto& io) { io(stream); }
};

/// Shares something of the program with other processes. Answered by SharedHandle.
struct Share {
  Shared kind = Shared::kMemory;
  u64 id = 0;       ///< an address in the allocation, the number of the piece or event; any of a pool
  s32 process = 0;  ///< the program's number, for messages of others
  void fields(auto& io) { io(kind, id, process); }
};
/// Opens what another process shares. Answered by SharedState.
struct OpenShared {
  SharedHandle handle;
  Shared kind = Shared::kMemory;
  u32 event = 0;          ///< which one of the program it is from now on, where it is one
  bool in_pool = false;   ///< memory that is then released (Release), not closed
  std::string site = {};  ///< as in Allocate
  void fields(auto& io) { io(handle, kind, event, in_pool, site); }
};
/// Memory that was opened.
struct CloseShared {
  u64 address = 0;
  void fields(auto& io) { io(address); }
};
/// Posted. An event that is shared is destroyed in this process.
struct ForgetEvent {
  u32 event = 0;
  void fields(auto& io) { io(event); }
};

/// A command's number on the wire is its place in this list: append only.
using Command =
    std::variant<Hello, LoadModule, UnloadModule, Allocate, Release, AllocateHost, ReleaseHost, CopyIn,
                 CopyOut, CopyWithin, Fill, LaunchKernel, CreateStream, DestroyStream, RecordEvent, WaitEvent,
                 QueryEvent, QueryStream, Synchronize, QueryMemory, QueryAllocation, QueryOccupancy,
                 SetMaxDynamicShared, SetLimit, TakeOutput, ResetDevice, ReportMissing, DefineGraph,
                 UpdateGraphNode, KeepGraph, LaunchGraph, ResumeGraph, UploadGraph, DestroyGraph,
                 ReportHostAccess, QueryBusy, SelectDevice, AllowPeer, PrefetchManaged, HostTime,
                 ReportRefusal, ReserveAddresses, FreeAddresses, CreateMemory, ReleaseMemory, MapMemory,
                 UnmapMemory, AllowAccess, QueryMapping, CreateTexture, DestroyTexture, ReportFailedCall,
                 ReportErrorSeen, CreateCondition, DestroyCondition, WriteWord, AwaitWord, GiveUpWaiting,
                 Share, OpenShared, CloseShared, ForgetEvent, AwaitKernel>;

template <class T>
inline constexpr bool kPosted =
    std::is_same_v<T, LaunchKernel> || std::is_same_v<T, CreateStream> || std::is_same_v<T, DestroyStream> ||
    std::is_same_v<T, RecordEvent> || std::is_same_v<T, WaitEvent> || std::is_same_v<T, ReportMissing> ||
    std::is_same_v<T, KeepGraph> || std::is_same_v<T, LaunchGraph> || std::is_same_v<T, UploadGraph> ||
    std::is_same_v<T, DestroyGraph> || std::is_same_v<T, ReportHostAccess> ||
    std::is_same_v<T, SelectDevice> || std::is_same_v<T, HostTime> || std::is_same_v<T, ReportRefusal> ||
    std::is_same_v<T, ReportFailedCall> || std::is_same_v<T, ReportErrorSeen> ||
    std::is_same_v<T, DestroyCondition> || std::is_same_v<T, WriteWord> || std::is_same_v<T, GiveUpWaiting> ||
    std::is_same_v<T, ForgetEvent>;

/// The place of T in Command.
template <class T, class... All>
constexpr u32 place_in(const std::variant<All...>*) {
  u32 place = 0;
  (void)((std::is_same_v<T, All> ? false : (place++, true)) && ...);
  return place;
}
template <class T>
inline constexpr u32 kKind = place_in<T>(static_cast<const Command*>(nullptr));

/// Makes a packet of a command.
template <class T>
void encode(Writer& out, const T& command, u32 sequence) {
  Writer body;
  body(command);
  out(Header{kMagic, kKind<T>, sequence, static_cast<u32>(body.bytes().size())});
  out.raw(body.bytes().data(), body.bytes().size());
}

struct ReceivedCommand {
  Command command;
  u32 sequence = 0;
};
/// Reads a packet that somebody else wrote: empty when it is not exactly one well-formed command.
std::optional<ReceivedCommand> decode(std::span<const std::byte> packet);

}  // namespace roofline::sim::channel
