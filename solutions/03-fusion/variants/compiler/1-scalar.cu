// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One element a thread: with full occupancy 4-byte accesses keep as many bytes in flight.

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

#include "compiler.h"
#include "cuda/nvrtc.h"

namespace {

constexpr unsigned kBlock = 256;

/// Parameters of every generated kernel; the source declares them with the same layout.
struct Inputs {
  const float* x[Expression::kMostInputs];
};
struct Constants {
  float c[Expression::kMostConstants];
};
const std::string kPreamble =
    "struct Inputs { const float* x[4]; };\n"
    "struct Constants { float c[4]; };\n\n";

std::string number(int k) { return std::to_string(k); }

/// How a node is called where it is used: only operations need a variable.
std::string name(const Expression& e, int node) {
  const Node& n = e.nodes[node];
  if (n.op == Op::kInput) return "x" + number(n.a);
  if (n.op == Op::kConstant) return "k.c[" + number(n.a) + "]";
  return "v" + number(node);
}

/// What an operation on two operands looks like in CUDA; those with one operand ignore b.
std::string formula(Op op, const std::string& a, const std::string& b) {
  switch (op) {
    case Op::kNegate:
      return "-" + a;
    case Op::kAbsolute:
      return "fabsf(" + a + ")";
    case Op::kRelu:
      return "fmaxf(" + a + ", 0.0f)";
    case Op::kSine:
      return "sinf(" + a + ")";
    case Op::kTanh:
      return "tanhf(" + a + ")";
    case Op::kSigmoid:
      return "1.0f / (1.0f + expf(-" + a + "))";
    case Op::kAdd:
      return a + " + " + b;
    case Op::kSubtract:
      return a + " - " + b;
    case Op::kMultiply:
      return a + " * " + b;
    case Op::kMaximum:
      return "fmaxf(" + a + ", " + b + ")";
    case Op::kMinimum:
      return "fminf(" + a + ", " + b + ")";
    default:
      return {};  // inputs and constants are no operations
  }
}

/// `pattern` for every input, # replaced by its number.
std::string for_inputs(const Expression& e, const std::string& pattern, const std::string& between = ", ") {
  std::string text;
  for (int k = 0; k < e.inputs_used; ++k) {
    text += k == 0 ? "" : between;
    for (const char c : pattern) text += c == '#' ? number(k) : std::string(1, c);
  }
  return text;
}

std::string source_of(const Expression& e) {
  std::string text =
      kPreamble + "__device__ float element(" + for_inputs(e, "float x#") + ", Constants k) {\n";
  for (int k = 0; k < e.nodes_used; ++k) {
    const Node& node = e.nodes[k];
    if (node.op <= Op::kConstant) continue;
    text +=
        "  const float " + name(e, k) + " = " + formula(node.op, name(e, node.a), name(e, node.b)) + ";\n";
  }
  text += "  return " + name(e, e.nodes_used - 1) + ";\n}\n\n";
  // A thread takes a group of four elements and, as far as there are any, one of those left over.
  text +=
      "extern \"C\" __global__ void fused(Inputs in, float* y, Constants k, size_t groups, size_t n) {\n"
      "  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;\n"
      "  if (i < groups) {\n" +
      for_inputs(e, "    const float4 x# = reinterpret_cast<const float4*>(in.x[#])[i];\n", "") +
      "    reinterpret_cast<float4*>(y)[i] = {\n";
  for (const char* lane : {".x", ".y", ".z", ".w"})
    text += "        element(" + for_inputs(e, std::string("x#") + lane) + ", k),\n";
  text +=
      "    };\n"
      "  }\n"
      "  const size_t rest = 4 * groups + i;\n"
      "  if (rest < n) y[rest] = element(" +
      for_inputs(e, "in.x[#][rest]") + ", k);\n}\n";
  return text;
}

cudaKernel_t kernel_of(const Expression& e) {
  static std::map<std::string, cudaKernel_t> cache;
  std::string key = number(e.inputs_used);
  for (int k = 0; k < e.nodes_used; ++k)
    key +=
        {static_cast<char>(e.nodes[k].op), static_cast<char>(e.nodes[k].a), static_cast<char>(e.nodes[k].b)};
  const auto [entry, is_new] = cache.try_emplace(key);
  if (is_new) {
    const std::string source = source_of(e);
    if (cache.size() == 1) std::fprintf(stderr, "the first kernel:\n%s", source.c_str());
    const std::string ptx = roofline::compile_to_ptx(source);
    cudaLibrary_t library = nullptr;
    CUDA_CHECK(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA_CHECK(cudaLibraryGetKernel(&entry->second, library, "fused"));
  }
  return entry->second;
}

bool aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

}  // namespace

void evaluate(const Expression& expression, const float* const* inputs, float* y, std::size_t n,
              cudaStream_t stream) {
  if (n == 0) return;
  const cudaKernel_t kernel = kernel_of(expression);
  Inputs in{};
  Constants constants{};
  bool wide = aligned(y);
  for (int k = 0; k < expression.inputs_used; ++k) {
    in.x[k] = inputs[k];
    wide = wide && aligned(inputs[k]);
  }
  for (int k = 0; k < Expression::kMostConstants; ++k) constants.c[k] = expression.constants[k];
  std::size_t groups = wide && false ? n / 4 : 0;
  void* arguments[] = {&in, &y, &constants, &groups, &n};
  // Every group and every left-over element has a thread.
  const std::size_t rest = n - 4 * groups, threads = groups > rest ? groups : rest;
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel),
                              dim3(static_cast<unsigned>((threads + kBlock - 1) / kBlock)), dim3(kBlock),
                              arguments, 0, stream));
}
