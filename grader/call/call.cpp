// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/call.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"

namespace roofline::grader {
namespace {

constexpr std::uint64_t kGuardBytes =
    1024;  ///< multiple of 256, so that the payload's alignment is the allocation's

std::uint64_t page_up(std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

std::uint64_t bits_of(Type type, double value) {
  std::uint64_t bits = 0;
  const auto store = [&](auto converted) { std::memcpy(&bits, &converted, sizeof converted); };
  switch (type) {
    case Type::kF32:
      store(static_cast<float>(value));
      break;
    case Type::kF64:
      store(value);
      break;
    case Type::kF16:
      store(static_cast<_Float16>(value));
      break;
    case Type::kU64:
      store(static_cast<std::uint64_t>(value));
      break;
    default:
      store(static_cast<std::int64_t>(value));
      break;  // low bytes, two's complement
  }
  return bits;
}

bool is_floating(Type type) { return type == Type::kF32 || type == Type::kF64 || type == Type::kF16; }

}  // namespace

CallPlan::CallPlan(const Program& program, CallShape shape) : program_(&program), shape_(std::move(shape)) {
  if (program.arguments.size() > worker::kMaxParameters) throw std::invalid_argument("too many arguments");
  poison_ = poison_word(derive(shape_.seed, Purpose::kPoison, 0));
  draw_scalars(shape_.seed);
  for (std::size_t i = 0; i < program.arguments.size(); ++i) {
    const Argument& argument = program.arguments[i];
    if (argument.gpu >= program.gpus)
      throw std::invalid_argument("'" + argument.name + "' is on a GPU that the program does not have");
    if (argument.kind != Argument::Kind::kInput && argument.kind != Argument::Kind::kOutput) continue;
    ArrayPlan array;
    array.parameter = i;
    array.argument = &argument;
    array.record.gpu = static_cast<std::uint8_t>(argument.gpu);
    array.elements = static_cast<std::uint64_t>(argument.elements(shape_.settings));
    array.payload_bytes = array.elements * bytes_of(argument.type);
    arrays_.push_back(array);
  }
  for (ArrayPlan& array : arrays_) place(array);
}

void CallPlan::draw_scalars(std::uint64_t call_seed) {
  scalars_.assign(program_->arguments.size(), 0);
  fixed_.assign(program_->arguments.size(), false);
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    const Argument& argument = program_->arguments[i];
    if (argument.kind != Argument::Kind::kScalar) continue;
    const auto fixed = shape_.settings.find(argument.name);
    if (!fixed && argument.random_bits == 0 && !is_floating(argument.type)) {
      throw std::invalid_argument("no case fixes the integer argument '" + argument.name + "'");
    }
    const std::uint64_t seed = derive(call_seed, Purpose::kScalar, i);
    const double value = fixed                       ? *fixed
                         : argument.random_bits != 0 ? random_integer_below(argument.random_bits, seed)
                         : argument.ranged           ? random_between(argument.low, argument.high, seed)
                                                     : random_scalar(argument.type, seed);
    fixed_[i] = fixed.has_value();
    scalars_[i] = argument.type == Type::kF32 ? static_cast<double>(static_cast<float>(value)) : value;
  }
}

void CallPlan::place(ArrayPlan& array) {
  worker::ArrayRecord& record = array.record;
  const bool moves = shape_.misaligned_alone.empty() || shape_.misaligned_alone == array.argument->name;
  const std::uint64_t shift = moves ? shape_.misaligned_elements * bytes_of(array.argument->type) : 0;
  const std::uint64_t guard = shape_.guards ? kGuardBytes : 0;
  record.payload = guard + shift;
  // An empty array still gets a valid pointer, and a band that nobody may write.
  const std::uint64_t tail = shape_.guards || array.payload_bytes == 0 ? kGuardBytes : 0;
  record.image_bytes = record.payload + array.payload_bytes + tail;
  const bool output = array.argument->kind == Argument::Kind::kOutput;
  for (const auto& [aliased, original] : shape_.alias) {
    if (!output || aliased != array.argument->name) continue;
    const ArrayPlan& other = this->array(original);
    if (other.record.gpu != record.gpu) throw std::invalid_argument("aliased arrays are on different GPUs");
    if (other.payload_bytes != array.payload_bytes)
      throw std::invalid_argument("aliased arrays differ in size");
    record.alias = static_cast<std::uint8_t>(other.parameter + 1);
  }
  // What an output overwrites in place comes back as that output.
  const bool overwritten = std::ranges::any_of(
      shape_.alias, [&](const auto& pair) { return pair.second == array.argument->name; });
  const bool fetch_input = shape_.fetch_inputs && !overwritten;
  record.fetch = output || fetch_input ? 1 : 0;
  if (output) {
    record.from_output = 1;
    record.source = record.destination = output_bytes_;
    output_bytes_ += page_up(record.image_bytes);
  } else {
    record.source = input_bytes_;
    input_bytes_ += page_up(record.image_bytes);
    if (fetch_input) {
      record.destination = output_bytes_;
      output_bytes_ += page_up(record.image_bytes);
    }
  }
  if (record.alias == 0) device_bytes_ += record.image_bytes;
}

const ArrayPlan& CallPlan::array(std::string_view name) const {
  const auto found =
      std::ranges::find_if(arrays_, [&](const ArrayPlan& a) { return a.argument->name == name; });
  if (found == arrays_.end()) throw std::invalid_argument("no array '" + std::string(name) + "' in the spec");
  return *found;
}

void CallPlan::fill(std::span<std::byte> input, std::span<std::byte> output) const {
  for (const ArrayPlan& array : arrays_) {
    const worker::ArrayRecord& record = array.record;
    const bool is_output = array.argument->kind == Argument::Kind::kOutput;
    const auto image = (is_output ? output : input).subspan(record.source, record.image_bytes);
    fill_poison(image.first(record.payload), poison_);
    const auto payload = image.subspan(record.payload, array.payload_bytes);
    fill_poison(image.subspan(record.payload + array.payload_bytes), poison_);
    if (is_output) {
      fill_poison(payload, poison_);
      continue;
    }
    const Argument& argument = *array.argument;
    const std::uint64_t seed = derive(shape_.seed, Purpose::kArray, array.parameter);
    if (argument.fill)
      argument.fill(shape_.settings, seed, payload);
    else
      fill_random(argument.type, payload, seed, argument.low, argument.high);
    if (shape_.special_values) {
      inject_special(argument.type, payload, derive(shape_.seed, Purpose::kSpecial, array.parameter));
    }
    if (record.fetch != 0) {
      fill_poison(output.subspan(record.destination, record.image_bytes), poison_);
    }
  }
}

worker::Request CallPlan::load_request() const {
  worker::Request request{};
  request.command = worker::Command::kLoad;
  request.sets = 1;
  for (std::size_t i = 0; i < program_->arguments.size(); ++i)
    request.arrays[i].gpu = static_cast<std::uint8_t>(program_->arguments[i].gpu);
  for (const ArrayPlan& array : arrays_) request.arrays[array.parameter] = array.record;
  return request;
}

worker::Request CallPlan::go_request() const {
  worker::Request request{};
  request.command = worker::Command::kGo;
  request.calls = 1;
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    request.scalars[i] = bits_of(program_->arguments[i].type, scalars_[i]);
  }
  return request;
}

worker::Request CallPlan::prepare_request() const {
  worker::Request request = go_request();
  request.command = worker::Command::kPrepare;
  for (std::size_t i = 0; i < scalars_.size(); ++i)
    if (!fixed_[i]) request.scalars[i] = 0;
  return request;
}

worker::Request CallPlan::fetch_request() const {
  worker::Request request = load_request();
  request.command = worker::Command::kFetch;
  return request;
}

std::vector<CallView::Array> CallPlan::input_arrays(std::span<const std::byte> input) const {
  std::vector<CallView::Array> inputs;
  for (const ArrayPlan& array : arrays_) {
    if (array.argument->kind != Argument::Kind::kInput) continue;
    inputs.push_back({array.argument->name, array.argument->type,
                      input.subspan(array.record.source + array.record.payload, array.payload_bytes)});
  }
  return inputs;
}

CallView CallPlan::view(std::span<const std::byte> input) const {
  std::vector<std::pair<std::string_view, double>> scalars;
  for (std::size_t i = 0; i < scalars_.size(); ++i) {
    if (program_->arguments[i].kind == Argument::Kind::kScalar) {
      scalars.emplace_back(program_->arguments[i].name, scalars_[i]);
    }
  }
  return CallView(input_arrays(input), std::move(scalars));
}

std::span<const std::byte> CallPlan::payload(const ArrayPlan& array,
                                             std::span<const std::byte> output) const {
  return output.subspan(array.record.destination + array.record.payload, array.payload_bytes);
}

CallPlan::GuardDamage CallPlan::guard_damage(const ArrayPlan& array,
                                             std::span<const std::byte> output) const {
  const auto image = output.subspan(array.record.destination, array.record.image_bytes);
  GuardDamage damage;
  const auto inspect = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t origin) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto expected = static_cast<std::byte>(poison_ >> ((i - begin) % 4 * 8));
      if (image[i] == expected) continue;
      if (damage.bytes++ == 0)
        damage.first = static_cast<std::int64_t>(i) - static_cast<std::int64_t>(origin);
    }
  };
  inspect(0, array.record.payload, array.record.payload);
  const std::uint64_t end = array.record.payload + array.payload_bytes;
  inspect(end, array.record.image_bytes, end);
  return damage;
}

std::int64_t CallPlan::changed_input(const ArrayPlan& array, std::span<const std::byte> input,
                                     std::span<const std::byte> output) const {
  const auto given = input.subspan(array.record.source + array.record.payload, array.payload_bytes);
  const auto back = payload(array, output);
  if (given.empty() || std::memcmp(given.data(), back.data(), given.size()) == 0) return -1;
  const auto at = std::ranges::mismatch(given, back).in1 - given.begin();
  return at / static_cast<std::int64_t>(bytes_of(array.argument->type));
}

std::string arguments_text(const CallPlan& plan) {
  const auto is_argument = [&](const std::string& name) {
    return std::ranges::any_of(plan.program().arguments, [&](const Argument& argument) {
      return argument.kind == Argument::Kind::kScalar && argument.name == name;
    });
  };
  std::string of_function, all;
  const auto add = [](std::string& text, const std::string& name, double value) {
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(static_cast<long long>(value));
  };
  for (const auto& [name, value] : plan.shape().settings.all()) {
    add(all, name, value);
    if (is_argument(name)) add(of_function, name, value);
  }
  return of_function.empty() ? all : of_function;
}

}  // namespace roofline::grader
