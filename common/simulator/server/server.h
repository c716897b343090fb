// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulator/channel/replies.h"
#include "simulator/checks/access_recorder.h"
#include "simulator/checks/checker.h"
#include "simulator/server/board.h"
#include "simulator/server/call_names.h"
#include "simulator/server/graphs.h"
#include "simulator/server/records.h"
#include "simulator/server/waiting_work.h"
#include "simulator/timing/managed_memory.h"

namespace roofline::sim::server {

/// What goes back to the program: the fields of an answer, or a status and a sentence.
struct Answer {
  channel::Status status = channel::Status::kOk;
  std::string message;
  channel::Writer fields;
  std::vector<int> descriptors;
};

/// Pinned memory on one side makes a copy a transfer over the bus.
CopyKind copy_kind(u64 to, u64 from);

/// One simulated GPU at work: executes the program's commands in order and keeps what the observer asks for.
/// Nothing that the program sends is trusted: every number is checked here.
class Server {
 public:
  /// The GPU of this number on the board.
  Server(Board& board, u32 index);

  /// Carries out a command of the program.
  template <class Command>
  Answer execute(const Command& command) {
    if constexpr (!std::is_same_v<Command, channel::CopyIn> && !std::is_same_v<Command, channel::CopyOut> &&
                  !std::is_same_v<Command, channel::CopyWithin>)
      flush_copy();
    if constexpr (!std::is_same_v<Command, channel::QueryEvent> &&
                  !std::is_same_v<Command, channel::QueryStream> &&
                  !std::is_same_v<Command, channel::QueryBusy> && !kAsksAgain<Command> &&
                  !std::is_same_v<Command, channel::HostTime>) {
      polling_since_ = -1;
      records_.went_on();
    }
    if (checks_) checks_->select(index_);
    if (!waiting_kernels_.empty()) end_kernels_before(command);
    notice_gone_memory();
    if (!board_.words.empty()) host_wrote_words();
    // A wait that is not over is asked for again and again: no call of the program. Launches are told when
    // they begin.
    const bool is_traced = options_.trace && !std::is_same_v<Command, channel::HostTime> &&
                           !std::is_same_v<Command, channel::KeepGraph> && !kAsksAgain<Command>;
    if (is_traced) trace_.begin_call(call_name(command), timeline_.host_now());
    Answer made = handle(command);
    if (is_traced) trace_.end_call(timeline_.host_now());
    if (!board_.words.empty()) {
      if constexpr (requires { command.stream; })
        stream_wrote_words(command.stream);
      else
        stream_wrote_words(kLegacyDefaultStream);
    }
    return made;
  }
  /// The observer has written to this memory: to the checks it is as if the host had copied it, and what is
  /// garbage nobody wrote.
  void given(const channel::MemoryRange& range);
  /// Remembers what became of a command that has no answer.
  void posted(const Answer& made);
  /// How the program's answer begins: with `made` and with everything it has not been told yet.
  channel::Outcome take_outcome(const Answer& made);
  /// The same with nothing that it has not been told yet.
  channel::Outcome known_outcome(const Answer& made) const;
  /// Whether somebody watches kernels as they run.
  bool observes() const { return checks_ != nullptr || recorder_ != nullptr; }
  /// The program has ended: no kernel waits for it any more.
  static void end_waiting_kernels(Board& board);

  Device& device() { return *device_; }
  ManagedMemory& pages() { return pages_; }
  void begin_region(u64 host_bytes);
  channel::WireRegion end_region();
  /// Bytes went from one GPU's memory to another's.
  static void over_link(Server& source, Server& target, u64 bytes) {
    source.records_.sent(bytes);
    target.records_.received(bytes);
  }
  std::vector<channel::WireLine> lines() const { return records_.lines(); }
  /// Writes down what one thread does.
  void follow(const ThreadRequest& request);
  const ThreadRecord& followed() const;
  /// Writes down what one warp does at one source line; checks, if there are any, no longer see kernels.
  void picture(const PictureRequest& request);
  AccessPicture pictured() const { return recorder_ ? recorder_->picture() : AccessPicture{}; }
  void flush_copy();

 private:
  /// What the program asks again and again until a wait is over.
  template <class Command>
  static constexpr bool kAsksAgain =
      std::is_same_v<Command, channel::AwaitWord> || std::is_same_v<Command, channel::AwaitKernel>;

  Answer refuse(channel::Status status, std::string message = {}) const;
  template <class T>
  Answer give(const T& value) const;

  // One overload a command; in messages.h's order.
  Answer handle(const channel::LoadModule&);
  Answer handle(const channel::UnloadModule&);
  Answer handle(const channel::Allocate&);
  Answer handle(const channel::Release&);
  Answer handle(const channel::AllocateHost&);
  Answer handle(const channel::ReleaseHost&);
  Answer handle(const channel::CopyIn&);
  Answer handle(const channel::CopyOut&);
  Answer handle(const channel::CopyWithin&);
  Answer handle(const channel::Fill&);
  Answer handle(const channel::LaunchKernel&);
  Answer handle(const channel::CreateStream&);
  Answer handle(const channel::DestroyStream&);
  Answer handle(const channel::RecordEvent&);
  Answer handle(const channel::WaitEvent&);
  Answer handle(const channel::QueryEvent&);
  Answer handle(const channel::QueryStream&);
  Answer handle(const channel::Synchronize&);
  Answer handle(const channel::QueryMemory&);
  Answer handle(const channel::QueryAllocation&);
  Answer handle(const channel::QueryOccupancy&);
  Answer handle(const channel::SetMaxDynamicShared&);
  Answer handle(const channel::SetLimit&);
  Answer handle(const channel::TakeOutput&);
  Answer handle(const channel::ResetDevice&);
  Answer handle(const channel::ReportMissing&);
  Answer handle(const channel::DefineGraph&);
  Answer handle(const channel::UpdateGraphNode&);
  Answer handle(const channel::KeepGraph&);
  Answer handle(const channel::LaunchGraph&);
  Answer handle(const channel::ResumeGraph&);
  Answer handle(const channel::UploadGraph&);
  Answer handle(const channel::DestroyGraph&);
  Answer handle(const channel::ReportHostAccess&);
  Answer handle(const channel::QueryBusy&);
  Answer handle(const channel::AllowPeer&);
  Answer handle(const channel::PrefetchManaged&);
  Answer handle(const channel::HostTime&);
  Answer handle(const channel::ReportRefusal&);
  Answer handle(const channel::ReportFailedCall&);
  Answer handle(const channel::ReportErrorSeen&);
  Answer handle(const channel::ReserveAddresses&);
  Answer handle(const channel::FreeAddresses&);
  Answer handle(const channel::CreateMemory&);
  Answer handle(const channel::ReleaseMemory&);
  Answer handle(const channel::MapMemory&);
  Answer handle(const channel::UnmapMemory&);
  Answer handle(const channel::AllowAccess&);
  Answer handle(const channel::QueryMapping&);
  Answer handle(const channel::CreateTexture&);
  Answer handle(const channel::DestroyTexture&);
  Answer handle(const channel::CreateCondition&);
  Answer handle(const channel::DestroyCondition&);
  Answer handle(const channel::WriteWord&);
  Answer handle(const channel::AwaitWord&);
  Answer handle(const channel::GiveUpWaiting&);
  Answer handle(const channel::AwaitKernel&);
  Answer handle(const channel::Share&);
  Answer handle(const channel::OpenShared&);
  Answer handle(const channel::CloseShared&);
  Answer handle(const channel::ForgetEvent&);

  void start_device();
  void keep_followed();
  u64 device_bytes_in_use() const;
  /// Whose device has this address; this one, if none.
  Server& owner_of(u64 address);
  /// Whether mappings from `address` on show memory of another GPU.
  bool shows_peers(u64 address, u64 bytes) const;
  u64 allocate_host(u64 bytes, const std::string& origin, bool managed);
  /// Memory of a managed variable: the same for every GPU that loads the program's module.
  u64 allocate_managed(u32 program_module, u64 bytes, const std::string& name);
  bool known_stream(u32 stream) const;
  /// Whose table of allocations answers for an address: this GPU's where it may access it, else that of whose
  /// memory it is.
  const Device& table_for(u64 address) const;
  /// Whether a rectangle lies inside one live allocation.
  bool is_valid(const channel::Rectangle& r) const;
  bool fits_staging(u64 offset, const channel::Rectangle& r) const;
  /// The same for a range; it may lie on other GPUs of the board.
  bool holds(u64 address, u64 bytes) const;
  void record_event(u32 stream, u32 event);
  /// Host code knows that another process has recorded an event.
  void host_took_from_others();
  /// Makes a stream wait for an event, which may be another GPU's.
  void wait_event(u32 stream, u32 event);
  /// Books a copy between addresses of the machine.
  /// `sector_bytes`: of DRAM's sectors that the copy touches, at the end where these are more.
  void book_within(u64 to, u64 from, u64 bytes, u64 sector_bytes, u32 stream, bool async, bool more);
  /// Books a copy on the timeline; pieces of one copy are booked together.
  void book_copy(CopyKind kind, u64 bytes, u32 stream, bool pageable, bool async, bool more);
  void time_copy(CopyKind kind, u64 bytes, u32 stream, bool pageable, bool async, bool more);
  void fault(const Trap& trap);
  /// The program asked for something that is not ready: its time passes, so that a program which only asks
  /// gets there.
  void poll();
  /// Why a launch is refused: kOk when it is not.
  channel::Status check_kernel(const channel::LaunchKernel& c, std::string& why) const;
  // Submissions of several pieces (pieces.cpp). `forks`: some may run side by side; `executable`: the graph,
  // 0: it is none.
  WorkId begin_graph(u32 stream, u64 nodes, bool forks, u64 executable);
  void begin_node(u32 stream, std::vector<WorkId> after);
  WorkId end_node(u32 stream);
  void end_graph(u32 stream, WorkId begin, std::vector<WorkId> nodes);

  /// How a kernel came here.
  struct Submission {
    u32 stream = 0;
    u64 graph_launch = 0;  ///< number of the graph launch that it is a node of, or 0
    s32 priority = 0;
    u64 waiting = 0;                        ///< launches by kernels that have not begun
    std::string launched_by = {};           ///< the kernel that launched it; empty: the host
    const LetOthersGoOn* others = nullptr;  ///< while it waits; see Device::launch
  };
  /// Runs a kernel and everything that it launches.
  void run_kernel(const channel::LaunchKernel& c, const Submission& submission);
  /// What a kernel launched.
  struct Launched {
    std::string kernel;  ///< its name
    std::vector<DeviceWork> work;
  };
  Launched run_grid(Launch launch, const Submission& submission);

  // Kernels that wait for what comes after them (waiting_kernels.cpp).
  /// Begins work of a stream that may wait; true when it has ended.
  /// `module`: of its kernel, if there is only one.
  bool begin_waiting(u32 stream, std::optional<ModuleId> module,
                     std::function<void(const LetOthersGoOn*)> work);
  void give_up_kernels();
  void give_up_word();
  void end_kernels_of(ModuleId module);
  void end_waiting_kernels();
  /// A program that asks first (AwaitKernel) sends nothing that has to come after a kernel that waits. Where
  /// one does, nobody can end the wait.
  template <class Command>
  void end_kernels_before(const Command& command);
  /// True when it has ended.
  bool look_again(u32 stream, Others others);

  // What kernels launch (device_work.cpp).
  struct Launcher;
  void run_device_work(Launched first, Submission submission);
  bool move_bytes(const DeviceWork& work, u32 stream);
  Launched run_piece(const DeviceWork& work, const Submission& submission);
  /// Whether a fill is one of elements and lies inside one live allocation.
  bool is_valid(const channel::Fill& c) const;
  void fill(const channel::Fill& c, u32 stream);

  // Words of memory that streams write and wait for (word_commands.cpp).
  bool is_valid(const WordOperation& operation) const;
  u64 word_at(u64 address, u32 bytes) const;
  /// These note which of the words that streams wait for have changed, by whom and when: host code before
  /// now, the work of a stream so far, a node of a graph that was launched in a stream.
  void host_wrote_words();
  void stream_wrote_words(u32 stream);
  void node_wrote_words(u32 stream, WorkId node);
  /// `since()` says when those that changed did.
  template <class Since>
  void look_at_words(Since since, std::optional<u32> stream);
  void write_word(const WordOperation& operation, u32 stream);
  bool has_value(const WordOperation& wait) const;
  /// Makes the stream, or the present node, wait; false when the word does not have such a value yet.
  bool await_word(const WordOperation& operation, u32 stream);

  // What processes share (sharing_commands.cpp).
  Answer refuse_sharing() const;
  Answer open_own(const channel::OpenShared& c);
  void reckon_with_others();
  void notice_gone_memory();
  /// False when nothing is open at this address.
  bool close_shared(u64 address);

  // Graphs (graph_commands.cpp).
  bool is_valid(const channel::GraphNode& node) const;
  bool is_valid(const channel::GraphCopy& copy, channel::GraphNode::Kind kind) const;
  bool may_wait(const std::vector<channel::GraphNode>& nodes) const;
  /// Executes nodes until one needs the program, or the end.
  void advance(GraphRun& run);
  /// The same; false when a kernel waits.
  bool go_on(GraphRun& run);
  /// `first`: what the first nodes of its body come after.
  void run_node(GraphRun& run, u32 place, WorkId first);
  WorkId run_bodies(GraphRun& run, const channel::GraphCondition& condition, WorkId begin);
  WorkId run_body_once(GraphRun& run, u32 body, WorkId begin);
  void execute(GraphRun& run, const channel::GraphNode& node);
  void copy_within(const channel::GraphCopy& copy, u32 stream);
  bool run_words(GraphRun& run, u32 place);
  void end_run(u32 id);
  void move_piece(GraphRun& run, const channel::GraphNode& node);

  Board& board_;
  const u32 index_;
  const Options& options_;
  const DeviceDescription& description_;
  Timeline timeline_;
  SharedMemory& staging_;
  ManagedMemory pages_;
  std::unique_ptr<Device> device_;
  Checker* checks_ = nullptr;  ///< the board's; none unless asked for
  Records records_;
  TraceLog& trace_;
  std::optional<ThreadRequest> follow_;       ///< not met yet
  ThreadRecord followed_;                     ///< by a device that was reset since
  std::unique_ptr<AccessRecorder> recorder_;  ///< none unless asked for
  std::vector<u32> streams_{0};
  struct LoadedKernel {
    ModuleId module = 0;
    u32 parameter_bytes = 0;
  };
  std::map<FunctionId, LoadedKernel> functions_;  ///< that may be launched
  std::set<ModuleId> modules_;
  std::map<u32, std::shared_ptr<const ExecutableGraph>> graphs_;
  std::map<u32, std::shared_ptr<const ExecutableGraph>> kept_graphs_;  ///< of runs that begin later
  std::map<u32, GraphRun> runs_;                                       ///< that wait for the program
  std::string output_;                                                 ///< printed by kernels, not yet taken
  channel::Status sticky_ = channel::Status::kOk;                      ///< a kernel faulted
  channel::Status told_ = channel::Status::kOk;                        ///< what the program knows of it
  channel::Status deferred_ = channel::Status::kOk;                    ///< a posted command was refused
  /// The last wait that was not over, and its stream.
  std::optional<std::pair<WordOperation, u32>> waiting_;
  bool in_node_ = false;       ///< of a graph, or of what a kernel launched
  double polling_since_ = -1;  ///< virtual time; the program only asks since then, -1: it does not
  std::string news_;           ///< about sticky_ or deferred_, not yet told
  struct {
    u64 bytes = 0;
    CopyKind kind = CopyKind::kHostToDevice;
    u32 stream = 0;
    bool pageable = false, async = false;
  } copy_;  ///< pieces not yet booked
  /// By stream; the last member, because the work uses the others until it ends.
  struct WaitingKernel {
    std::unique_ptr<WaitingWork> work;
    std::optional<ModuleId> module;
  };
  std::map<u32, WaitingKernel> waiting_kernels_;
};

template <class Command>
void Server::end_kernels_before(const Command& command) {
  using namespace channel;
  if constexpr (std::is_same_v<Command, Synchronize>) {
    if (command.scope == Synchronize::Scope::kDevice ||
        (command.scope == Synchronize::Scope::kStream && waiting_kernels_.contains(command.id)))
      end_waiting_kernels();
  } else if constexpr (std::is_same_v<Command, ResetDevice>) {
    end_waiting_kernels();
  } else if constexpr (std::is_same_v<Command, UnloadModule>) {
    end_kernels_of(command.module);
  } else if constexpr (requires { command.stream; } && !std::is_same_v<Command, CreateStream> &&
                       !std::is_same_v<Command, Release> && !kAsksAgain<Command>) {
    if (observes() || waiting_kernels_.contains(command.stream)) end_waiting_kernels();
  }
}

}  // namespace roofline::sim::server
