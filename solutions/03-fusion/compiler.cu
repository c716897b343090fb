// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Each node becomes one line of CUDA; constants are parameters, so expressions that differ in them alone
// share a kernel. The generated kernel moves 16 bytes at a time where all pointers allow it.

#include <cstdint>
#include <map>
#include <string>

#include "compiler.h"
#include "cuda/nvrtc.h"

namespace {

constexpr unsigned kBlock = 256;

std::string value(int node) { return "v" + std::to_string(node); }

std::string formula(const Node& node) {
  const std::string a = value(node.a), b = value(node.b);
  switch (node.op) {
    case Op::kInput:
      return "x" + std::to_string(node.a);
    case Op::kConstant:
      return "c" + std::to_string(node.a);
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
  }
  return {};
}

/// "float x0, float x1" or the like, for the inputs or the constants.
std::string list(const std::string& type, const std::string& name, int count, const std::string& index = "") {
  std::string text;
  for (int k = 0; k < count; ++k) text += type + name + std::to_string(k) + index + ", ";
  return text;
}

std::string source_of(const Expression& e) {
  const int in = e.inputs_used, constants = Expression::kMostConstants;
  std::string text =
      "__device__ float element(" + list("float ", "x", in) + list("float ", "c", constants) + "int) {\n";
  for (int k = 0; k < e.nodes_used; ++k)
    text += "  const float " + value(k) + " = " + formula(e.nodes[k]) + ";\n";
  text += "  return " + value(e.nodes_used - 1) + ";\n}\n\n";
  // A thread takes a group of four elements and, as far as there are any, one of those left over.
  text += "extern \"C\" __global__ void fused(" + list("const float* ", "x", in) + "float* y, " +
          list("float ", "c", constants) +
          "unsigned long long groups, unsigned long long n) {\n"
          "  const unsigned long long i = blockIdx.x * 256ull + threadIdx.x;\n"
          "  if (i < groups) {\n";
  for (int k = 0; k < in; ++k) {
    const std::string x = "x" + std::to_string(k);
    text += "    const float4 w" + std::to_string(k) + " = reinterpret_cast<const float4*>(" + x + ")[i];\n";
  }
  text += "    reinterpret_cast<float4*>(y)[i] = {\n";
  for (const char* lane : {".x", ".y", ".z", ".w"})
    text += "        element(" + list("", "w", in, lane) + list("", "c", constants) + "0),\n";
  text +=
      "    };\n  }\n"
      "  const unsigned long long k = 4 * groups + i;  // what no group covers\n"
      "  if (k < n) y[k] = element(" +
      list("", "x", in, "[k]") + list("", "c", constants) + "0);\n}\n";
  return text;
}

cudaKernel_t kernel_of(const Expression& e) {
  static std::map<std::string, cudaKernel_t> cache;
  std::string key = std::to_string(e.inputs_used);
  for (int k = 0; k < e.nodes_used; ++k)
    key +=
        {static_cast<char>(e.nodes[k].op), static_cast<char>(e.nodes[k].a), static_cast<char>(e.nodes[k].b)};
  const auto [entry, is_new] = cache.try_emplace(key);
  if (is_new) {
    const std::string ptx = roofline::compile_to_ptx(source_of(e));
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
  Expression e = expression;
  bool wide = aligned(y);
  for (int k = 0; k < e.inputs_used; ++k) wide = wide && aligned(inputs[k]);
  unsigned long long groups = wide ? n / 4 : 0, count = n;
  void* arguments[Expression::kMostInputs + 1 + Expression::kMostConstants + 2];
  int used = 0;
  const float* pointers[Expression::kMostInputs];
  for (int k = 0; k < e.inputs_used; ++k) {
    pointers[k] = inputs[k];
    arguments[used++] = &pointers[k];
  }
  arguments[used++] = &y;
  for (float& constant : e.constants) arguments[used++] = &constant;
  arguments[used++] = &groups;
  arguments[used++] = &count;
  // Every group and every left-over element has a thread.
  const unsigned long long rest = n - 4 * groups, threads = groups > rest ? groups : rest;
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel),
                              dim3(static_cast<unsigned>((threads + kBlock - 1) / kBlock)), dim3(kBlock),
                              arguments, 0, stream));
}
