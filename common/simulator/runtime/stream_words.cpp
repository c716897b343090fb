// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/stream_words.h"

#include <algorithm>

#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_exec.h"
#include "simulator/runtime/graph_nodes.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

bool reaches(const WordOperation& operation) {
  const void* const word = pointer(operation.address);
  return operation.address % operation.bytes == 0 && (is_device_address(word) || is_window_address(word));
}

cudaError_t check(const WordsCall& call) {
  return std::all_of(call.operations.begin(), call.operations.end(), reaches) ? cudaSuccess
                                                                              : cudaErrorInvalidValue;
}

cudaError_t write(Runtime& r, const StreamUse& use, const WordOperation& operation) {
  return send(r, use, [command = WriteWord{use.id, operation}](Runtime& runtime) {
    runtime.connection().post(command);
    return cudaSuccess;
  });
}

cudaError_t wait(Runtime& r, StreamUse& use, const WordOperation& operation) {
  return await(r, use, [command = AwaitWord{use.id, operation}](Connection& connection, bool& over) {
    WordState state;
    const Status status = connection.call(command, state);
    over = state.accepted;
    return status;
  });
}

}  // namespace

cudaError_t operate_on_words(cudaStream_t stream, const WordsCall& call) {
  return api([&](Runtime& r) {
    StreamUse use = queue_on(r, stream);
    if (use.error != cudaSuccess) return use.error;
    if (const cudaError_t error = check(call); error != cudaSuccess) return error;
    if (use.capture) return capture(use, call);
    for (const WordOperation& each : call.operations) {
      const bool writes = each.kind == WordOperation::Kind::kWrite;
      if (const cudaError_t error = writes ? write(r, use, each) : wait(r, use, each); error != cudaSuccess)
        return error;
    }
    return cudaSuccess;
  });
}

cudaError_t add_words_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                           const cudaGraphEdgeData* data, size_t n, const WordsCall& call) {
  return add_node(node, graph, dependencies, data, n, [&](Runtime&, Work& work) {
    work = call;
    return check(call);
  });
}

cudaError_t parameters_of_words_node(cudaGraphNode_t node, std::vector<std::array<u64, 6>>*& given) {
  return with_node<WordsCall>(node, [&](Runtime&, Node&, WordsCall& call) {
    given = &call.given;
    return cudaSuccess;
  });
}

cudaError_t change_words_node(cudaGraphNode_t node, const WordsCall& call) {
  return change_node<WordsCall>(node, [&](Runtime&, const Work&, Work& work) {
    work = call;
    return check(call);
  });
}

cudaError_t change_words_node(cudaGraphExec_t exec, cudaGraphNode_t node, const WordsCall& call) {
  return api([&](Runtime& r) {
    GraphExec* const found = aim_at(r, exec);
    Node* const mine = found ? find_in_exec(*found, node) : nullptr;
    if (!mine || !std::holds_alternative<WordsCall>(mine->work)) return cudaErrorInvalidValue;
    if (const cudaError_t error = check(call); error != cudaSuccess) return error;
    if (!may_become(mine->work, call)) return cudaErrorInvalidValue;
    return change_exec(r, *found, *mine, call);
  });
}

}  // namespace roofline::sim::runtime
