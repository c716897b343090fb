// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/lab/value.h"

namespace roofline::grader {

/// Element and scalar types of a learner's function.
enum class Type : std::uint8_t { kF32, kF64, kF16, kS8, kU8, kS32, kU32, kS64, kU64, kE4M3 };
std::size_t bytes_of(Type type);
std::string_view name_of(Type type);

/// Fills an input array whose values belong together, from a seed that is new in every call.
using Fill = std::function<void(const Settings&, std::uint64_t seed, std::span<std::byte> array)>;

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
  unsigned gpu = 0;          ///< arrays and streams: whose, of Program::gpus
  bool early = false;        ///< inputs: a lab's prepare (worker/worker.h) may read it, too
  Fill fill{};               ///< inputs: in place of random values
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
/// The input array, whose values belong together.
Argument filled(Argument argument, Fill fill);
Argument stream();
/// An input that prepare may read: all others hold nothing before the clock runs.
Argument early(Argument argument);
/// The array, or the stream, of this GPU; 0 is the first of Program::gpus.
Argument on_gpu(unsigned gpu, Argument argument);
/// The same argument once for each GPU, in their order: "x[0]", "x[1]" ...
std::vector<Argument> on_each_gpu(unsigned gpus, const Argument& argument);
/// One list behind the other.
std::vector<Argument> joined(std::initializer_list<std::vector<Argument>> lists);

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
  /// Another output, whose bits this one has to have, all of them: a result that several GPUs hold. With it
  /// the reference may be left out.
  std::string same_bits_as{};
};

/// One function in one file with one header: a learner's part, or a roof's micro-benchmark.
struct Program {
  std::string header{}, source{}, function{};
  std::vector<Argument> arguments{};
  std::vector<Output> outputs{};
  /// What a call's scalars stand for where they are a code that nobody reads ("v1 = tanhf(x0); y = v1 * v1"):
  /// said in their place beside a wrong element.
  std::function<std::string(const CallView&)> scalars_in_words{};
  /// Bytes of host memory that a call may share with the device, and bytes that it may copy from there: for
  /// programs about the link, or that answer from the host. Where it is not given, nothing may be shared,
  /// Part::host_to_device_limit holds, and the output must come from a kernel.
  Extent host_memory{};
  /// Device bytes that a call may allocate beside its arrays; any number where it is not given.
  Extent device_memory{};
  /// How many GPUs it runs on; each reaches the others' memory, in its kernels too. The worker aims at the
  /// first one before each call. Where there are fewer, or they do not reach each other, a part is skipped.
  unsigned gpus = 1;
  /// The function may count on it that its arrays begin equally far behind an aligned address: no case moves
  /// one of them alone.
  bool arrays_move_together = false;
};

}  // namespace roofline::grader
