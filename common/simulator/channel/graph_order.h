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
/// that are not there.
std::optional<GraphDefinition> decode_graph(std::span<const std::byte> bytes);

/// Places of the nodes so that each follows its dependencies, of those that may run the one added first (or,
/// `last_first`, last: an order that a forgotten dependency does not survive); empty when a cycle makes that
/// impossible.
std::optional<std::vector<u32>> execution_order(const GraphDefinition& graph, bool last_first = false);

}  // namespace roofline::sim::channel
