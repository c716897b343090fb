// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "simulator/isa/word_order.h"
#include "simulator/ptx/type_names.h"
#include "simulator/tests/isa/instruction_case.h"
#include "simulator/text.h"

// Runs the instruction cases as PTX kernels, one each, through whatever libcudart is found first: the
// simulated one (parser, function builder and machine included) or a real one, where the GPU is the oracle
// for our expectations.
//
//     case_kernels [--target 90] [--shuffled] [--ptx FILE] file.cases...
//
// target: the device's, unless given; --shuffled spells the instructions in two other orders of their
// modifiers; --ptx writes the kernels and runs nothing.
namespace roofline::sim::isa::cases {
namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

/// Operands lie in 16-byte cells: sources, then results, then the carry.
constexpr std::size_t kCell = 16;

/// The text of one kernel around a case's instruction. What the binder is asked for tells the registers'
/// types.
class Kernel {
 public:
  Kernel(const Case& one, std::size_t number)
      : case_(one),
        instruction_(instruction_of(one.spelling, one.results, one.sources)),
        binder_(instruction_) {
    use_table_order(instruction_);
    Match match;
    const Row* row = find(instruction_, match);
    if (row == nullptr) throw std::runtime_error("no row for " + one.text);
    Instruction in;
    row->bind(*row, match, binder_, in);
    name = "case_" + std::to_string(number);
    write();
  }
  Kernel(const Kernel&) = delete;

  std::size_t cells() const { return binder_.sources.size() + binder_.results.size() + 2; }

  std::vector<u8> operands() const {
    std::vector<u8> data(cells() * kCell);
    for (std::size_t i = 0; i < binder_.sources.size(); ++i) {
      const u64 bits = bits_of_value(binder_.sources[i].value, binder_.sources[i].type);
      std::memcpy(&data[i * kCell], &bits, sizeof bits);
    }
    data[(cells() - 2) * kCell] = case_.carry_in.value_or(false) ? 1 : 0;
    return data;
  }

  /// Empty when the results are right.
  std::string verdict(const std::vector<u8>& data) const {
    const auto cell = [&data](std::size_t i) {
      u64 bits;
      std::memcpy(&bits, &data[i * kCell], sizeof bits);
      return bits;
    };
    for (std::size_t i = 0; i < binder_.results.size(); ++i) {
      const auto& result = binder_.results[i];
      u64 bits = cell(binder_.sources.size() + i);
      if (result.type.bits < 64) bits &= (u64{1} << result.type.bits) - 1;
      if (agrees(bits, result.value, result.type)) continue;
      return "got " + hex(bits);
    }
    if (case_.carry_out && (cell(cells() - 1) & 1u) != (*case_.carry_out ? 1u : 0u)) return "wrong CC.CF";
    return "";
  }

  std::string name, text;
  const Case& of() const { return case_; }

 private:
  static bool is_predicate(ptx::Type type) { return type.kind == ptx::Type::Kind::kPredicate; }
  /// A register of a type: bits only; nothing is smaller than 16 bits outside vectors.
  static std::string bits_of(const CaseBinder::Bound& bound) {
    return std::to_string(is_predicate(bound.type) ? 32u : std::max<unsigned>(bound.type.bits, 16));
  }
  static std::string at(std::size_t cell) { return "[%data+" + std::to_string(cell * kCell) + "]"; }
  void line(const std::string& words) { text += "  " + words + ";\n"; }

  /// An operand as the instruction names it: a register where the binder was asked, else the literal.
  std::string spelled(const ptx::Operand& operand) const {
    const auto find_in = [&](const std::vector<CaseBinder::Bound>& list, const char* prefix) -> std::string {
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].operand == &operand)
          return (is_predicate(list[i].type) ? "%p" : "%") + (prefix + std::to_string(i));
      return "";
    };
    if (!operand.elements.empty()) {
      const bool pair = operand.kind == ptx::Operand::Kind::kPair;
      std::string list;
      for (const ptx::Operand& element : operand.elements) {
        if (!list.empty()) list += pair ? "|" : ", ";
        list += spelled(element);
      }
      return pair ? list : "{" + list + "}";
    }
    std::string reg = find_in(binder_.sources, "s");
    if (reg.empty()) reg = find_in(binder_.results, "r");
    if (!reg.empty() && operand.part != 0) reg += kParts[operand.part - 1];
    return reg.empty() ? operand.name : reg;
  }

  void declare(const std::vector<CaseBinder::Bound>& list, const std::string& prefix) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      line(".reg .b" + bits_of(list[i]) + " %" + prefix + std::to_string(i));
      if (is_predicate(list[i].type)) line(".reg .pred %p" + prefix + std::to_string(i));
    }
  }

  void write() {
    const auto& sources = binder_.sources;
    const auto& results = binder_.results;
    text = ".visible .entry " + name + "(.param .u64 data)\n{\n";
    line(".reg .b64 %data");
    line(".reg .b32 %carry");
    declare(sources, "s");
    declare(results, "r");
    line("ld.param.u64 %data, [data]");
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::string number = std::to_string(i);
      line("ld.global.b" + bits_of(sources[i]) + " %s" + number + ", " + at(i));
      if (is_predicate(sources[i].type)) line("setp.ne.u32 %ps" + number + ", %s" + number + ", 0");
    }
    if (case_.carry_in || case_.carry_out) {
      line("ld.global.b32 %carry, " + at(cells() - 2));
      line("add.cc.u32 %carry, %carry, 0xffffffff");
    }
    std::string operands;
    for (const ptx::Operand& operand : instruction_.operands)
      operands += (operands.empty() ? " " : ", ") + spelled(operand);
    line(case_.spelling + operands);
    if (case_.carry_out) {
      line("addc.u32 %carry, 0, 0");
      line("st.global.b32 " + at(cells() - 1) + ", %carry");
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::string number = std::to_string(i);
      if (is_predicate(results[i].type)) line("selp.b32 %r" + number + ", 1, 0, %pr" + number);
      line("st.global.b" + bits_of(results[i]) + " " + at(sources.size() + i) + ", %r" + number);
    }
    line("ret");
    text += "}\n";
  }

  const Case& case_;
  ptx::Instruction instruction_;
  CaseBinder binder_;
};

/// The case in other orders of its modifiers, as ptxas takes them: types first and the others backwards; and
/// only the others backwards. Types, state spaces and layouts keep their own order.
std::vector<Case> shuffled(const Case& one) {
  std::istringstream parts(one.spelling);
  std::string opcode, types, others;
  std::getline(parts, opcode, '.');
  std::size_t n_others = 0;
  for (std::string part; std::getline(parts, part, '.');) {
    const bool stays = ptx::type_named(part) || part == "row" || part == "col";
    if (stays)
      types += "." + part;
    else
      others.insert(0, "." + part), ++n_others;
  }
  std::vector<Case> all;
  for (const std::string& spelling : {opcode + types + others, opcode + others + types}) {
    if (spelling == one.spelling || n_others == 0) continue;
    all.push_back(one);
    all.back().spelling = spelling;
  }
  return all;
}

/// Vectors of bytes need byte registers, which ptxas takes only in few places: left to the simulator's own
/// tests.
bool is_runnable(const Case& one) {
  const auto of_bytes = [](const std::vector<std::string>& values) {
    return values.size() == 1 && elements_of(values[0]).size() == 4;
  };
  return one.spelling != "mov.b32" || !(of_bytes(one.sources) || of_bytes(one.results));
}

int run(const std::vector<Case>& all, int target, const std::string& ptx_file) {
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::string text = ".version 8.8\n.target sm_" + std::to_string(target) + "\n.address_size 64\n";
  for (const Case& one : all) {
    if (one.architecture > target || !is_runnable(one)) continue;
    kernels.push_back(std::make_unique<Kernel>(one, kernels.size()));
    text += kernels.back()->text;
  }
  if (!ptx_file.empty()) {
    std::ofstream(ptx_file) << text;
    return 0;
  }
  cudaLibrary_t library;
  check(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        "loading the PTX");
  void* data = nullptr;
  check(cudaMalloc(&data, 64 * kCell), "cudaMalloc");
  std::size_t failures = 0;
  for (const auto& kernel : kernels) {
    cudaKernel_t entry;
    check(cudaLibraryGetKernel(&entry, library, kernel->name.c_str()), "cudaLibraryGetKernel");
    std::vector<u8> cells = kernel->operands();
    check(cudaMemcpy(data, cells.data(), cells.size(), cudaMemcpyHostToDevice), "copy");
    void* arguments[] = {&data};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(entry), dim3(1), dim3(1), arguments, 0, nullptr),
          "launch");
    check(cudaMemcpy(cells.data(), data, cells.size(), cudaMemcpyDeviceToHost), kernel->of().text.c_str());
    const std::string verdict = kernel->verdict(cells);
    if (verdict.empty()) continue;
    ++failures;
    std::printf("%s:%d: %s: %s\n", kernel->of().file.c_str(), kernel->of().line, kernel->of().text.c_str(),
                verdict.c_str());
  }
  std::printf("%zu of %zu cases ran, %zu differ\n", kernels.size(), all.size(), failures);
  return failures == 0 && !kernels.empty() ? 0 : 1;
}

}  // namespace
}  // namespace roofline::sim::isa::cases

int main(int argc, char** argv) {
  using namespace roofline::sim::isa::cases;
  int target = 0;
  std::string ptx_file;
  std::vector<Case> all;
  bool is_shuffled = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--target" && i + 1 < argc) {
      target = std::stoi(argv[++i]);
      continue;
    }
    if (argument == "--ptx" && i + 1 < argc) {
      ptx_file = argv[++i];
      continue;
    }
    if (argument == "--shuffled") {
      is_shuffled = true;
      continue;
    }
    for (Case& one : read_cases(argument)) all.push_back(std::move(one));
  }
  if (is_shuffled) {
    std::vector<Case> other;
    for (const Case& one : all)
      for (Case& each : shuffled(one)) other.push_back(std::move(each));
    all = std::move(other);
  }
  if (target == 0) {
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "device");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "device");
    target = major * 10 + minor;
  }
  return run(all, target, ptx_file);
}
