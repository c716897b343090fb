// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/driver/cuda.h"

/// Nodes of operations on words of memory, for the functions that take nodes of any kind.
namespace roofline::sim::driver {

CUresult add_words_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* before,
                        const CUgraphEdgeData* data, size_t n, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p);
CUresult change_words_node(CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p);
CUresult change_words_node(CUgraphExec exec, CUgraphNode node, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p);

}  // namespace roofline::sim::driver
