// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>

#include "simulator/channel/messages.h"

namespace roofline::sim::channel {

/// A graph has at most so many nodes: a few bytes of text must not make the machine take gigabytes.
inline constexpr u32 kMaxGraphNodes = 1 << 18;

/// Reads a definition that somebody else wrote: empty when it is malformed, or the dependencies name nodes
/// that are not there, or the bodies of conditional nodes make no tree.
std::optional<GraphDefinition> decode_graph(std::span<const std::byte> bytes);

/// Places of the nodes so that each follows its dependencies; of those that may run the one with the longest
/// way to an end first, then the one added last. No GPU promises an order. In this one a node that others
/// forgot to wait for has a shorter way left than they have, so it comes after them and the result is wrong
/// every time. With a seed, nodes with ways of one length come in an order drawn from it, so that nobody can
/// rely on the order instead of edges. Empty when a cycle makes it impossible.
std::optional<std::vector<u32>> execution_order(const GraphDefinition& graph,
                                                std::optional<u64> seed = std::nullopt);

}  // namespace roofline::sim::channel
