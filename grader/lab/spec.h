// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "grader/result/medal.h"
#include "simulator/channel/observed.h"

/// What a lab is, as the judge sees it. `labs/NN-name/spec.cpp` returns one Lab; it holds no learner's code
/// and is linked into the grader. It should read like a table: see labs/01-pointwise/spec.cpp (a goal: one
/// timed size against one roof) and labs/02-intensity/spec.cpp (a sweep: one argument varied, two roofs). In
/// short:
///
// clang-format off
///     Lab ROOFLINE_LAB_SPEC() {
///       return {
///           .title = "pointwise: the memory wall",
///           .parts = {{
///               .program = {.header = "pointwise.h", .source = "pointwise.cu", .function = "pointwise",
///                           .arguments = {in("x", "n"), out("y", "n"), scalar("a"), scalar("b"), size("n"), stream()},
///                           .outputs = {{.argument = "y", .reference = axpb, .tolerance = {.c = 2}}}},
///               .cases = common_cases({.in_place = {{"y", "x"}}}),
///               .goals = {{.id = "bandwidth", .title = "8 bytes an element, at the copy roof",
///                          .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 8})}},
///                          .roof = "copy",
///                          .work = [](const Settings& s) { return 8 * s["n"]; },
///                          .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
///               .structure = {one_kernel(), coalesced(1.10)},
///               .predictions = {{.key = "bytes_per_element", .question = "DRAM bytes for one element", .expected = 8}},
///           }}};
///     }
///
/// with the reference, in double, on a range of output elements:
///
///     void axpb(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
///       const auto x = call.input<float>("x");
///       const double a = call.scalar("a"), b = call.scalar("b");
///       for (auto i = begin; i < end; ++i) expected[i - begin] = {a * x[i] + b, std::abs(a * x[i]) + std::abs(b)};
///     }
// clang-format on
namespace roofline::grader {

/// Element and scalar types of a learner's function.
enum class Type : std::uint8_t { kF32, kF64, kF16, kS8, kU8, kS32, kU32, kS64, kU64 };
std::size_t bytes_of(Type type);
std::string_view name_of(Type type);

/// What the judge knows of the device under test: from devices/*.toml when simulated, from the driver
/// otherwise.
struct DeviceFacts {
  bool simulated = true;
  std::string id{};    ///< "a100-sxm4-40gb"; empty on a GPU
  std::string name{};  ///< as cudaDeviceProp::name
  int capability = 0;  ///< 80 for compute capability 8.0
  unsigned sms = 0;
  std::uint64_t l2_bytes = 0, memory_bytes = 0;
  double pin_gbps = 0;       ///< data-sheet DRAM bandwidth: 2 x memory clock x bus width / 8
  double clock_mhz = 0;      ///< boost clock
  double fp32_tflops = 0;    ///< 2 x FMA lanes x boost clock
  double tensor_tflops = 0;  ///< dense products of halves with float sums, data sheet; 0: no such cores
  std::string driver{}, toolkit{};  ///< versions; "simulated" and the simulator's own otherwise
  std::string model{};              ///< the time model's version; empty on a GPU
};

/// A number, or a number that follows from the device (a size that must exceed its L2, say).
class Value {
 public:
  Value(double number) : number_(number) {}  // NOLINT: a table writes plain numbers
  Value(std::function<double(const DeviceFacts&)> rule) : rule_(std::move(rule)) {}  // NOLINT
  double at(const DeviceFacts& device) const { return rule_ ? rule_(device) : number_; }

 private:
  double number_ = 0;
  std::function<double(const DeviceFacts&)> rule_{};
};

struct L2Multiple {
  double simulated = 4;  ///< total bytes over L2 bytes
  double gpu = 16;
  double bytes_per_element = 8;     ///< of all arrays together
  std::uint64_t minimum = 1 << 20;  ///< elements
};
/// Number of elements whose arrays fill this many times the device's L2; a multiple of 1024.
Value l2_multiple(const L2Multiple& rule);

struct RowsBeyondL2 {
  double simulated = 4;  ///< total bytes over L2 bytes
  double gpu = 16;
  double row_bytes = 0;             ///< of all arrays together
  std::uint64_t multiple = 1;       ///< of which the number of rows is one
  bool of_sms = false;              ///< a multiple of the number of SMs, too: with a block for each row no SM
                                    ///< waits for another at the end
  std::uint64_t minimum = 1 << 26;  ///< bytes
};
/// The same for matrices whose rows have a fixed length: how many rows.
Value rows_beyond_l2(const RowsBeyondL2& rule);

using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Values fixed by a case, resolved for a device. Reading a name that is not there is the spec's mistake
/// (throws).
class Settings {
 public:
  Settings() = default;
  Settings(const NamedValues& values, const DeviceFacts& device);
  double operator[](std::string_view name) const;
  std::optional<double> find(std::string_view name) const;
  void set(std::string_view name, double value);
  const std::vector<std::pair<std::string, double>>& all() const { return values_; }

 private:
  std::vector<std::pair<std::string, double>> values_{};
};

/// One parameter of the learner's function, in order. Use in(), out(), inout(), scalar(), size(), stream().
struct Argument {
  enum class Kind : std::uint8_t { kInput, kOutput, kScalar, kStream };
  Kind kind = Kind::kScalar;
  std::string name{};
  Type type = Type::kF32;
  std::function<double(const Settings&)> elements{};  ///< arrays: how many
  double low = -1, high = 1;                          ///< random values are uniform in [low, high)
  bool ranged = false;                                ///< scalars: drawn from [low, high) too
  unsigned random_bits = 0;  ///< integer scalars: random below 2^this; 0: a case fixes it
  bool scratch = false;      ///< an array that the call may use as it likes, and that nobody reads afterwards
  /// Input arrays whose values belong together: fills the array from a seed that is new in every call.
  std::function<void(const Settings&, std::uint64_t seed, std::span<std::byte> array)> fill{};
};
using Extent = std::function<double(const Settings&)>;
/// `count` names a size argument ("n"), or is a function of the settings: `[](const Settings& s) { return
/// s["m"] * s["k"]; }`.
Argument in(std::string name, std::string count, Type type = Type::kF32);
Argument in(std::string name, Extent count, Type type = Type::kF32);
Argument out(std::string name, std::string count, Type type = Type::kF32);
Argument out(std::string name, Extent count, Type type = Type::kF32);
/// Device memory for what a call has to remember meanwhile: partial results, a counter, flags. The function
/// takes it as `T*`, in the place where the list has it. It holds anything at first, in every call something
/// else, and nobody looks at it afterwards.
Argument scratch(std::string name, Extent count, Type type = Type::kF32);
/// Revealed to the worker only when the clock runs. Random in +-[0.5, 2) unless the case fixes it.
Argument scalar(std::string name, Type type = Type::kF32);
/// An integer that every case fixes: std::size_t (default) or int.
Argument size(std::string name, Type type = Type::kU64);
/// An integer drawn anew for every call, below 2^bits (at most 53: a Value is a double). Revealed as
/// scalar().
Argument random_integer(std::string name, unsigned bits, Type type = Type::kU64);
/// The array, or the floating-point scalar, with values uniform in [low, high).
Argument between(double low, double high, Argument argument);
Argument stream();

/// One call as the judge remembers it: inputs and scalars, for the reference.
class CallView {
 public:
  struct Array {
    std::string_view name;
    Type type;
    std::span<const std::byte> bytes;
  };
  CallView(std::vector<Array> inputs, std::vector<std::pair<std::string_view, double>> scalars)
      : inputs_(std::move(inputs)), scalars_(std::move(scalars)) {}
  template <class T>
  std::span<const T> input(std::string_view name) const {
    const auto bytes = find(name, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// The exact value that the function received (a float argument is rounded to float first).
  double scalar(std::string_view name) const;

 private:
  std::span<const std::byte> find(std::string_view name, std::size_t element_bytes) const;
  std::vector<Array> inputs_{};
  std::vector<std::pair<std::string_view, double>> scalars_{};
};

/// Expected value of one output element and S, the same operation on absolute values.
struct Expected {
  double value = 0, magnitude = 0;
};
/// Fills expected[0 .. end-begin) for output elements begin .. end. Called from several threads.
using Reference =
    std::function<void(const CallView&, std::uint64_t begin, std::uint64_t end, Expected* expected)>;

/// The reference of one call, for elements that are made of many inputs (a running sum, the bins of a
/// histogram): called once, it may look at everything. What it returns does not outlive the call.
using ReferenceOfCall = std::function<Reference(const CallView&)>;

inline constexpr double kRoundoffF32 = 0x1p-24, kRoundoffF16 = 0x1p-11, kRoundoffF64 = 0x1p-53;

/// |got - expected| <= c * u * S, and never for a NaN; c == 0 asks for equal bits.
struct Tolerance {
  double c = 2;
  double u = kRoundoffF32;
  std::function<double(const Settings&)>
      growth{};  ///< multiplies c, for bounds that depend on a size (K, repeat)
};

/// What a look at a whole output found.
struct WholeCheck {
  std::string complaint{};                ///< it is wrong as a whole, and why; empty: it is not
  std::vector<std::uint64_t> suspects{};  ///< ascending: elements to compare with the reference one by one
};

struct Output {
  std::string argument{};
  Reference reference{};  ///< empty where `whole` or `reference_of` says everything
  Tolerance tolerance{};
  /// Operations a reference element costs. Above 2e9 in total a call is checked at 65536 positions drawn
  /// after the output is in the judge's memory, and every smaller call in full.
  std::function<double(const Settings&)> cost{};
  /// Looks at the whole output in less time than the reference would take (Freivalds' check of a product), or
  /// at what no single element shows (an answer that need only be valid). The seed is drawn after the output
  /// is in the judge's memory.
  std::function<WholeCheck(const CallView&, const Settings&, std::span<const std::byte> got,
                           std::uint64_t seed)>
      whole{};
  /// A call too large to be checked in full is checked on so many random rows of `columns` elements, instead
  /// of on scattered ones: what an element costs may not depend on its neighbour.
  unsigned sampled_rows = 0;
  /// Row length; 0 for a vector. The report says row and column, and "transposed"; and the reference is asked
  /// for whole rows, so that a row's sum is added up once (single elements are asked for, too, after a
  /// mistake).
  std::function<double(const Settings&)> columns{};
  ReferenceOfCall reference_of{};  ///< where one element costs as much as all of them; instead of `reference`
};

/// One function in one file with one header: a learner's part, or a roof's micro-benchmark.
struct Program {
  std::string header{}, source{}, function{};
  std::vector<Argument> arguments{};
  std::vector<Output> outputs{};
  /// Bytes of host memory that a call may share with the device, and bytes that it may copy from there: for
  /// programs about the link, or that answer from the host. Where it is not given, nothing may be shared,
  /// Part::host_to_device_limit holds, and the output must come from a kernel.
  Extent host_memory{};
  /// Device bytes that a call may allocate beside its arrays; any number where it is not given.
  Extent device_memory{};
};

/// One correctness call.
struct Case {
  std::string id{}, title{};  ///< "n-257", "n = 257"
  NamedValues settings{};
  bool hidden = false;               ///< an instructor's: what the program prints about it is not kept
  bool special_values = false;       ///< NaN, +-Inf, -0, denormals among the inputs
  unsigned misaligned_elements = 0;  ///< base pointers off by this many elements from 256-byte alignment
  std::vector<std::pair<std::string, std::string>> alias{};  ///< output, input: the same pointer
  bool gpu_only = false;                                     ///< too large to simulate
  std::uint64_t needs_memory = 0;                            ///< device bytes
  /// What goes wrong here and not in most other cases ("copies that nobody waits for"). `watch` runs these
  /// cases first, whatever they cost, and names what they cover.
  std::string tells{};
};

struct CommonCases {
  std::string size = "n";  ///< the size argument
  std::vector<std::uint64_t> sizes = {0, 1, 31, 32, 33, 255, 256, 257, 1023, (1U << 20) + 3};
  std::vector<std::uint64_t> more_sizes{};  ///< around the tiles that learners choose
  std::vector<unsigned> misaligned = {1, 2, 3};
  bool special_values = true;  ///< elementwise operations only
  std::vector<std::pair<std::string, std::string>> in_place{};
  NamedValues fixed{};  ///< settings that all cases share
};
/// The cases that every lab runs, as one list.
std::vector<Case> common_cases(const CommonCases& options);
std::vector<Case> operator+(std::vector<Case> left, const std::vector<Case>& right);

/// Fractions of the roof that earn a medal.
using Thresholds = PerMedal;
/// Keyed by compute capability (80 = 8.0): the entry with the highest key not above the device's holds.
using ThresholdTable = std::vector<std::pair<int, Thresholds>>;
Thresholds thresholds_for(const ThresholdTable& table, int capability);

/// Which clock a goal reads.
enum class Clock : std::uint8_t {
  kDevice,  ///< from the first kernel's start to the last one's end (events); with copies, the whole call
  kHost     ///< from the call to the end of all its work: launch overhead counts
};

/// Floating-point operations that no version of a call can leave out: faster than the device's peak is
/// impossible.
struct DeclaredFlops {
  std::function<double(const Settings&)> count{};
  /// Their types: where not empty, a simulated device must have counted 0.95 of them in these, and a file
  /// that a GPU is to time must pass the same on the simulated device first.
  std::vector<sim::FlopType> types{};

  DeclaredFlops() = default;
  template <class Count>
  requires std::is_invocable_r_v<double, Count, const Settings&> DeclaredFlops(
      Count function, std::vector<sim::FlopType> counted = {})  // a table says a function alone
      : count(std::move(function)), types(std::move(counted)) {}

  explicit operator bool() const { return static_cast<bool>(count); }
  double operator()(const Settings& settings) const { return count(settings); }
  /// A simulated device decides whether they were done.
  bool counted() const { return count && !types.empty(); }
};

/// A timed case and the fraction of a roof it must reach.
struct Goal {
  std::string id{}, title{};
  NamedValues settings{};
  std::string roof{};  ///< id of a roof (grader/lab/roof.h)
  std::function<double(const Settings&)>
      work{};             ///< bytes, FLOPs ... that a call must do, in the roof's base unit
  DeclaredFlops flops{};  ///< for roofs that have no data sheet of their own
  /// Bytes that every version must move, where `work` counts something else: where the roofline puts the dot.
  std::function<double(const Settings&)> bytes{};
  ThresholdTable thresholds{};
  Clock clock = Clock::kDevice;
};

/// One timed call per value of an argument: the roofline of one kernel.
struct Sweep {
  std::string id{}, title{};
  std::string argument{};
  std::vector<double> values{};  ///< ascending
  NamedValues settings{};
  std::function<double(const Settings&)> bytes{};
  DeclaredFlops flops{};
  std::string memory_roof = "copy", compute_roof = "fma";
  ThresholdTable lowest{}, highest{};  ///< fraction of the memory / compute roof at the two ends
  double knee_fraction =
      0;                ///< of min(intensity x memory roof, compute roof), at the value nearest to the ridge
  double flatness = 0;  ///< times of points with intensity <= ridge / 2 agree within this
};

/// A share of work, and the roof that says how long it takes alone.
struct RoofShare {
  std::string roof{};
  std::function<double(const Settings&)> work{};  ///< in the roof's base unit
};

/// A timed case in which copies ought to hide behind kernels: the part of the shorter of the two that is
/// hidden, (T_kernels + T_copies - T) / min(T_kernels, T_copies).
struct Overlap {
  std::string id{}, title{};
  NamedValues settings{};
  RoofShare kernels{};
  std::vector<RoofShare> copies{};  ///< one after the other
  ThresholdTable thresholds{};
};

/// An answer that has a quality of its own, beside being right: the peak of a plan against its lower bound.
struct Quality {
  std::string id{}, title{}, unit{};
  NamedValues settings{};
  std::function<double(const CallView&)> bound{};  ///< the best value possible, in `unit`; less is better
  std::function<double(const CallView&, std::span<const std::byte> output)> value{};  ///< of the first output
  Thresholds thresholds{};                                                            ///< of bound / value
};

/// What the machine counted in the timed calls of one size (simulated devices only).
struct Observation {
  const sim::Region& region;  ///< the first call
  const Settings& settings;
  const sim::Region* last = nullptr;  ///< the last call; none when there was only one
};
/// A rule about how the work is done, decided from the device's counters, never from the source text.
struct StructureCheck {
  std::string id{}, title{};
  std::function<std::optional<std::string>(const Observation&)> complaint{};  ///< nothing when it holds
};
StructureCheck one_kernel();
StructureCheck kernels_between(unsigned least, unsigned most);
/// Sectors requested over the fewest that the bytes need.
StructureCheck coalesced(double limit);
/// Wavefronts of shared memory over the fewest that the accesses need: lanes that meet in a bank take turns.
StructureCheck no_bank_conflicts(double limit);
StructureCheck no_local_memory();
/// Code that was compiled at run time is kept: only the first call loads any.
StructureCheck no_new_code();
/// Graphs are made while the call is prepared: none is instantiated when it is timed.
StructureCheck no_new_graph();
/// DRAM bytes over the bytes that the work needs.
StructureCheck traffic_at_most(double limit, std::function<double(const Settings&)> required_bytes);

/// A line of prediction.toml, graded by arithmetic: expected / factor <= answer <= expected * factor.
struct Prediction {
  std::string key{}, question{};
  double expected = 0;
  double factor = 1.01;
  std::string unit{};
  std::string word{};  ///< when not empty the answer is this word ("memory"), not a number
};

/// A version of a part's work: the learner's own file, or one of those beside the solution.
struct Version {
  std::string name{};
  std::string file{};  ///< in the lab's solutions; empty: what the learner has written
};

/// Versions side by side, for `./lab bench`: the time of a call for every value of one argument.
struct Bench {
  std::string title{};
  std::string argument{};
  std::vector<double> values{};  ///< ascending, each twice the one before
  NamedValues settings{};
  std::function<double(const Settings&)> work{};  ///< a call's time is divided by this ...
  std::string unit{};                             ///< ... and is then so many "us a step"
  double timeline_at = 0;           ///< value of the argument at which timelines are drawn; 0: none
  double timeline_us = 0;           ///< how long they are
  std::vector<Version> versions{};  ///< at most 5
};

struct Points {
  double correctness = 40, structure = 10, prediction = 10;
  PerMedal medals{.pass = 20, .good = 10, .excellent = 10};
  double total() const { return correctness + structure + prediction + medals.sum(); }
  bool operator==(const Points&) const = default;
};

/// What one `./lab grade` id names: "01", or "03c" for a lab with parts.
struct Part {
  std::string letter{};  ///< "" or "a", "b" ...; folders of its versions are named after its source
  std::string title{};   ///< empty: the lab's
  Program program{};
  std::vector<Case> cases{};
  std::vector<Goal> goals{};
  std::vector<Goal> shown{};  ///< timed and printed beside the goals, never graded: a trap made visible
  std::vector<Sweep> sweeps{};
  std::vector<Overlap> overlaps{};
  std::vector<Quality> qualities{};
  std::vector<StructureCheck> structure{};
  std::optional<Bench> bench{};
  std::vector<Prediction> predictions{};  ///< empty: no prediction asked, its points go to correctness
  Points points{};
  int minimum_capability = 0;  ///< below it: skipped
  /// A call answers the same bits, and ends, in whatever order its blocks run: each small case runs once more
  /// on the simulated device with the last block first. Without it a call has only to repeat its own bits.
  bool any_block_order = false;
  /// The goal with the least medal decides the points of all: one kernel for several kinds of input, say. The
  /// part's medal is the least one either way.
  bool worst_goal_counts = false;
  std::uint64_t host_to_device_limit = 4096;  ///< bytes a graded call may bring to the device, any way
  double deadline_seconds = 60;               ///< wall time of one call, load and fetch included
  bool prepares =
      false;  ///< the adapter prepares something before the calls (worker/worker.h): its cost is shown
  std::string adapter{};  ///< file in the lab's folder that defines main() instead of the generic worker
  std::vector<std::string>
      given{};  ///< further files in the lab's folder that the learner's file may include
  /// Called once a run, on a copy: fills in what has to be new in every run (settings of cases and goals).
  std::function<void(Part& part, std::uint64_t seed)> draw{};
};

struct Lab {
  std::string folder{};  ///< filled by the list: "01-pointwise"
  std::string title{};
  std::vector<Part> parts{};
  std::string hints = "hints.md", theory = "README.md",
              prediction = "prediction.toml";  ///< files in the lab's folder

  std::string number() const { return folder.substr(0, folder.find('-')); }
  std::string name() const { return folder.substr(folder.find('-') + 1); }
  std::string id_of(const Part& part) const { return number() + part.letter; }
};

/// Every labs/*/spec.cpp, in the order of the folders' names (generated by CMake).
std::vector<Lab> all_labs();

}  // namespace roofline::grader
