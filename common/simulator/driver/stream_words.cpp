// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Streams and nodes of graphs that write words of memory and wait for them: CUDA's stream memory operations.
#include "simulator/runtime/stream_words.h"

#include <cstring>
#include <optional>

#include "simulator/driver/frame.h"
#include "simulator/driver/stream_words.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;
using runtime::WordsCall;

namespace {

using Params = CUstreamBatchMemOpParams;
static_assert(sizeof(Params) == sizeof(std::array<u64, 6>));

constexpr unsigned kMostOperations = 256;  ///< of one call

/// The functions of before CUDA 11.7 know a flag more and an operation less.
enum class Version { kFirst, kSecond };

std::optional<WordOperation::Kind> kind_of_wait(unsigned flags) {
  switch (flags) {
    case CU_STREAM_WAIT_VALUE_GEQ:
      return WordOperation::Kind::kAwaitAtLeast;
    case CU_STREAM_WAIT_VALUE_EQ:
      return WordOperation::Kind::kAwaitEqual;
    case CU_STREAM_WAIT_VALUE_AND:
      return WordOperation::Kind::kAwaitAnyBit;
    case CU_STREAM_WAIT_VALUE_NOR:
      return WordOperation::Kind::kAwaitMissingBit;
    default:
      return {};
  }
}

/// CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0.
bool flushes(const Params& p) {
  const bool waits =
      p.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || p.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
  return p.operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES ||
         (waits && (p.waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0);
}

CUresult append(const Params& p, Version version, WordsCall& call) {
  if (flushes(p)) return CUDA_ERROR_NOT_SUPPORTED;
  WordOperation operation;
  switch (p.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: {
      const auto kind = kind_of_wait(p.waitValue.flags);
      if (!kind) return CUDA_ERROR_INVALID_VALUE;
      operation.kind = *kind;
      break;
    }
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: {
      const unsigned known = version == Version::kFirst ? CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER : 0;
      if ((p.writeValue.flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
      break;
    }
    case CU_STREAM_MEM_OP_BARRIER:  // what is before it in the stream has happened
      return version == Version::kSecond && p.memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  const bool is_long =
      p.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 || p.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
  // A wait and a write have their address and value in the same places.
  operation.address = p.waitValue.address;
  operation.value = is_long ? p.waitValue.value64 : p.waitValue.value;
  operation.bytes = is_long ? 8 : 4;
  call.operations.push_back(operation);
  return CUDA_SUCCESS;
}

CUresult take(const Params* list, unsigned n, unsigned flags, Version version, WordsCall& call) {
  if (!list || n == 0 || n > kMostOperations || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < n; ++i) {
    if (const CUresult result = append(list[i], version, call); result != CUDA_SUCCESS) return result;
    std::memcpy(call.given.emplace_back().data(), &list[i], sizeof(Params));
  }
  return CUDA_SUCCESS;
}

CUresult operate(CUstream stream, const Params* list, unsigned n, unsigned flags, Version version) {
  return in_context([&] {
    WordsCall call;
    const CUresult result = take(list, n, flags, version, call);
    return result == CUDA_SUCCESS ? to_driver(runtime::operate_on_words(given(stream), call)) : result;
  });
}

CUresult wait(CUstream stream, CUdeviceptr address, CUstreamBatchMemOpType type, cuuint64_t value,
              unsigned flags) {
  Params p{};
  p.waitValue.operation = type;
  p.waitValue.address = address;
  p.waitValue.value64 = value;
  p.waitValue.flags = flags;
  return operate(stream, &p, 1, 0, Version::kSecond);
}

CUresult write(CUstream stream, CUdeviceptr address, CUstreamBatchMemOpType type, cuuint64_t value,
               unsigned flags, Version version) {
  Params p{};
  p.writeValue.operation = type;
  p.writeValue.address = address;
  p.writeValue.value64 = value;
  p.writeValue.flags = flags;
  return operate(stream, &p, 1, 0, version);
}

/// Runs `body(call)` for the parameters of a node.
template <class Node, class Body>
CUresult with_node(const Node* p, Body&& body) {
  return in_context([&] {
    WordsCall call;
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = take(p->paramArray, p->count, p->flags, Version::kSecond, call);
    return result == CUDA_SUCCESS ? to_driver(body(call)) : result;
  });
}

}  // namespace

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return wait(stream, address, CU_STREAM_MEM_OP_WAIT_VALUE_32, value, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return wait(stream, address, CU_STREAM_MEM_OP_WAIT_VALUE_64, value, flags);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return write(stream, address, CU_STREAM_MEM_OP_WRITE_VALUE_32, value, flags, Version::kSecond);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return write(stream, address, CU_STREAM_MEM_OP_WRITE_VALUE_64, value, flags, Version::kSecond);
}
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned n, Params* list, unsigned flags) {
  return operate(stream, list, n, flags, Version::kSecond);
}

// As before CUDA 11.7.
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return cuStreamWaitValue32_v2(stream, address, value, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return cuStreamWaitValue64_v2(stream, address, value, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return write(stream, address, CU_STREAM_MEM_OP_WRITE_VALUE_32, value, flags, Version::kFirst);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned flags) {
  return write(stream, address, CU_STREAM_MEM_OP_WRITE_VALUE_64, value, flags, Version::kFirst);
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned n, Params* list, unsigned flags) {
  return operate(stream, list, n, flags, Version::kFirst);
}

namespace roofline::sim::driver {

CUresult add_words_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                        const CUgraphEdgeData* data, size_t n, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p) {
  return with_node(&p, [&](const WordsCall& call) {
    return runtime::add_words_node(node, graph, before, reinterpret_cast<const cudaGraphEdgeData*>(data), n,
                                   call);
  });
}
CUresult change_words_node(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p) {
  return with_node(&p, [&](const WordsCall& call) { return runtime::change_words_node(node, call); });
}
CUresult change_words_node(CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p) {
  return with_node(&p, [&](const WordsCall& call) { return runtime::change_words_node(exec, node, call); });
}

}  // namespace roofline::sim::driver

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* before, size_t n,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  return with_node(p, [&](const WordsCall& call) {
    return runtime::add_words_node(node, graph, before, nullptr, n, call);
  });
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  return in_context([&] {
    std::vector<std::array<u64, 6>>* list = nullptr;
    if (!p) return cudaErrorInvalidValue;
    const cudaError_t error = runtime::parameters_of_words_node(node, list);
    if (error == cudaSuccess)
      *p = {handle_of(current_context()), static_cast<unsigned>(list->size()),
            reinterpret_cast<Params*>(list->data()), 0};
    return error;
  });
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  return with_node(p, [&](const WordsCall& call) { return runtime::change_words_node(node, call); });
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* p) {
  return with_node(p, [&](const WordsCall& call) { return runtime::change_words_node(exec, node, call); });
}
