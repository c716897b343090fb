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

/// Places of the nodes so that each follows its dependencies, of those that may run the one added last
/// first: no card promises an order, and a dependency that was forgotten is seldom right in this one. Empty
/// when a cycle makes it impossible.
std::optional<std::vector<u32>> execution_order(const GraphDefinition& graph);

}  // namespace roofline::sim::channel
