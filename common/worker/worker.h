// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// The worker: the process that holds the learner's code. It is generic: the learner's function is unpacked
/// from its own parameter types, in order: `const T*` the next input, `T*` the next output, a number the next
/// scalar, `cudaStream_t` the stream to use. The generated entry of every lab and roof is
///
///     #include "pointwise.h"
///     #include "worker/worker.h"
///     int main(int argc, char** argv) { return roofline::worker::serve(pointwise, argc, argv); }
///
/// A lab whose function prepares something once and uses it in many calls (a graph, say) has an adapter that
/// passes three functions: prepare and call with the same parameters, and release. Prepare runs after the
/// arrays are loaded and before the clock; its scalars are 0 where only the call reveals them.
///
/// The worker knows no expected value, no threshold and no seed; it does what the control records say
/// (worker/protocol.h) and can only fail.
struct __nv_fp8_e4m3;  // CUDA's, without including its header

namespace roofline::worker {

/// What a parameter is; the judge compares the list with the lab's spec.
enum class Parameter : std::uint8_t { kInput, kOutput, kScalar, kStream };

/// Element type codes, the same as grader::Type.
enum class Element : std::uint8_t { kF32, kF64, kF16, kS8, kU8, kS32, kU32, kS64, kU64, kE4M3, kUnknown };

struct ParameterType {
  Parameter parameter;
  Element element;
};

/// Values for one call, in parameter order: a device pointer, a scalar's bits, or the stream.
union Slot {
  void* pointer;
  unsigned char bits[8];
  cudaStream_t stream;
};

namespace detail {

template <class T>
constexpr Element element_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, float>)
    return Element::kF32;
  else if constexpr (std::is_same_v<U, double>)
    return Element::kF64;
  else if constexpr (std::is_integral_v<U>) {
    if constexpr (sizeof(U) == 1)
      return std::is_signed_v<U> ? Element::kS8 : Element::kU8;
    else if constexpr (sizeof(U) == 4)
      return std::is_signed_v<U> ? Element::kS32 : Element::kU32;
    else if constexpr (sizeof(U) == 8)
      return std::is_signed_v<U> ? Element::kS64 : Element::kU64;
    else
      return Element::kUnknown;
  } else if constexpr (std::is_same_v<U, __nv_fp8_e4m3>)
    return Element::kE4M3;
  else if constexpr (sizeof(U) == 2)
    return Element::kF16;  // __half, without including its header
  else
    return Element::kUnknown;
}

template <class T>
constexpr ParameterType parameter_of() {
  if constexpr (std::is_same_v<T, cudaStream_t>)
    return {Parameter::kStream, Element::kUnknown};
  else if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    return {std::is_const_v<Pointee> ? Parameter::kInput : Parameter::kOutput, element_of<Pointee>()};
  } else
    return {Parameter::kScalar, element_of<T>()};
}

template <class T>
T unpack(const Slot& slot) {
  if constexpr (std::is_same_v<T, cudaStream_t>)
    return slot.stream;
  else if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(slot.pointer);
  else {
    T value;
    __builtin_memcpy(&value, slot.bits, sizeof(T));
    return value;
  }
}

/// The learner's function behind one signature.
struct Callable {
  const ParameterType* parameters;
  std::size_t count;
  void (*call)(const void* function, const Slot* slots);
  const void* function;
  const void* prepare = nullptr;  ///< of the same type; null: nothing to prepare
  void (*release)() = nullptr;
};

int serve(const Callable& callable, int argc, char** argv);

template <class... A>
struct Caller {
  using Function = void (*)(A...);
  template <std::size_t... I>
  static void apply(Function function, const Slot* slots, std::index_sequence<I...>) {
    function(unpack<std::remove_cv_t<A>>(slots[I])...);
  }
  static void call(const void* function, const Slot* slots) {
    apply(*static_cast<const Function*>(function), slots, std::index_sequence_for<A...>{});
  }
};

}  // namespace detail

/// Runs the worker until the judge ends it; returns main's exit status.
template <class... A>
int serve(void (*function)(A...), int argc, char** argv) {
  static constexpr ParameterType kParameters[] = {detail::parameter_of<std::remove_cv_t<A>>()...};
  return detail::serve({kParameters, sizeof...(A), &detail::Caller<A...>::call, &function}, argc, argv);
}

/// The same with something that is prepared after the arrays are loaded, and released before they are.
template <class... A>
int serve(void (*prepare)(A...), void (*function)(A...), void (*release)(), int argc, char** argv) {
  static constexpr ParameterType kParameters[] = {detail::parameter_of<std::remove_cv_t<A>>()...};
  return detail::serve({kParameters, sizeof...(A), &detail::Caller<A...>::call, &function, &prepare, release},
                       argc, argv);
}

}  // namespace roofline::worker
