// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/program.h"

namespace roofline::grader {

namespace {

Argument array(Argument::Kind kind, std::string name, Extent count, Type type) {
  Argument argument;
  argument.kind = kind;
  argument.name = std::move(name);
  argument.type = type;
  argument.elements = std::move(count);
  return argument;
}

Extent named(std::string count) {
  return [count = std::move(count)](const Settings& settings) { return settings[count]; };
}

}  // namespace

std::size_t bytes_of(Type type) {
  switch (type) {
    case Type::kS8:
    case Type::kU8:
    case Type::kE4M3:
      return 1;
    case Type::kF16:
      return 2;
    case Type::kF32:
    case Type::kS32:
    case Type::kU32:
      return 4;
    default:
      return 8;
  }
}

std::string_view name_of(Type type) {
  static constexpr std::string_view kNames[] = {"float", "double",   "__half",  "int8_t",   "uint8_t",
                                                "int",   "unsigned", "int64_t", "uint64_t", "__nv_fp8_e4m3"};
  return kNames[static_cast<std::size_t>(type)];
}

Argument in(std::string name, std::string count, Type type) {
  return in(std::move(name), named(std::move(count)), type);
}
Argument in(std::string name, Extent count, Type type) {
  return array(Argument::Kind::kInput, std::move(name), std::move(count), type);
}
Argument out(std::string name, std::string count, Type type) {
  return out(std::move(name), named(std::move(count)), type);
}
Argument out(std::string name, Extent count, Type type) {
  return array(Argument::Kind::kOutput, std::move(name), std::move(count), type);
}
Argument scratch(std::string name, Extent count, Type type) {
  Argument argument = out(std::move(name), std::move(count), type);
  argument.scratch = true;
  return argument;
}
Argument scalar(std::string name, Type type) {
  return array(Argument::Kind::kScalar, std::move(name), nullptr, type);
}
Argument size(std::string name, Type type) { return scalar(std::move(name), type); }
Argument random_integer(std::string name, unsigned bits, Type type) {
  Argument argument = scalar(std::move(name), type);
  argument.random_bits = bits;
  return argument;
}
Argument between(double low, double high, Argument argument) {
  argument.low = low;
  argument.high = high;
  argument.ranged = true;
  return argument;
}
Argument filled(Argument argument, Fill fill) {
  argument.fill = std::move(fill);
  return argument;
}
Argument early(Argument argument) {
  argument.early = true;
  return argument;
}

Argument on_gpu(unsigned gpu, Argument argument) {
  argument.gpu = gpu;
  return argument;
}
std::vector<Argument> on_each_gpu(unsigned gpus, const Argument& argument) {
  std::vector<Argument> each;
  for (unsigned gpu = 0; gpu < gpus; ++gpu) {
    each.push_back(on_gpu(gpu, argument));
    each.back().name += "[" + std::to_string(gpu) + "]";
  }
  return each;
}
std::vector<Argument> joined(std::initializer_list<std::vector<Argument>> lists) {
  std::vector<Argument> all;
  for (const std::vector<Argument>& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

Argument stream() { return array(Argument::Kind::kStream, "stream", nullptr, Type::kU64); }

double CallView::scalar(std::string_view name) const {
  for (const auto& [known, value] : scalars_) {
    if (known == name) return value;
  }
  throw not_in_spec("scalar", name);
}

std::span<const std::byte> CallView::find(std::string_view name, std::size_t element_bytes) const {
  for (const Array& array : inputs_) {
    if (array.name != name) continue;
    if (bytes_of(array.type) != element_bytes) {
      throw std::invalid_argument("input '" + std::string(name) +
                                  "' is read as another type than the spec says");
    }
    return array.bytes;
  }
  throw not_in_spec("input", name);
}

}  // namespace roofline::grader
