// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/graph.h"

/// Streams, and nodes of graphs, that write words of memory and wait for them. Only the driver API has
/// functions for it (driver/stream_words.cpp).
namespace roofline::sim::runtime {

cudaError_t operate_on_words(cudaStream_t stream, const WordsCall& call);

cudaError_t add_words_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                           const cudaGraphEdgeData* data, size_t n, const WordsCall& call);
/// `given` points into the node.
cudaError_t parameters_of_words_node(cudaGraphNode_t node, std::vector<std::array<u64, 6>>*& given);
cudaError_t change_words_node(cudaGraphNode_t node, const WordsCall& call);
cudaError_t change_words_node(cudaGraphExec_t exec, cudaGraphNode_t node, const WordsCall& call);

}  // namespace roofline::sim::runtime
