// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

/// What the lanes of one warp did at one source line of a kernel on the simulated GPU, as far as it is shown.
namespace roofline::grader {

inline constexpr unsigned kLanes = 32;
inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr unsigned kBanks = 32;

/// One request of a warp to global or shared memory.
struct LaneRequest {
  unsigned line = 0;
  std::string what;   ///< "load", "store", "atomic"
  std::string place;  ///< "argument 1", "shared memory"
  bool shared = false;
  unsigned width = 0;      ///< bytes a lane
  std::uint32_t mask = 0;  ///< active lanes
  /// A lane's first byte, from the beginning of the place; 32 of them, 0 where the lane is not active.
  std::vector<std::int64_t> offsets;
  std::int64_t phase = 0;      ///< bytes from a multiple of 128 to the beginning of the place
  double cost = 0, ideal = 0;  ///< sectors of global memory, passes over shared memory

  bool active(unsigned lane) const { return (mask >> lane & 1u) != 0; }
  bool wasteful() const { return cost > ideal; }
};

/// Instructions of a warp that followed each other in one line, with the same lanes.
struct LaneStep {
  unsigned line = 0;  ///< 0: not of the file
  std::uint32_t active = 0;
  std::uint64_t count = 0;
};

struct ElementWriter {
  std::uint64_t element = 0, block = 0;
  unsigned thread = 0;  ///< of its block
};

struct LanePictures {
  std::string kernel, file, source;  ///< the line's text
  unsigned line = 0, launch = 1, warp = 0, warps = 1;
  std::uint64_t block = 0;
  std::string device;            ///< "NVIDIA A100-SXM4-40GB"
  std::string what_ran;          ///< "n = 1023", or the program
  std::uint32_t existing = ~0u;  ///< lanes that are threads of the block
  std::vector<LaneRequest> requests;
  std::uint64_t all_requests = 0;  ///< kept or not
  std::vector<LaneStep> steps;
  std::uint64_t all_steps = 0;
  std::string written_place;  ///< "argument 2"; empty: the line stores nothing
  unsigned written_width = 0;
  std::vector<ElementWriter> writers;  ///< in the order of execution
};

/// What the request came to, in a sentence or two.
std::string lane_sentence(const LaneRequest& request);
/// The index of the request that wastes most, the first of equals; 0 where there are none.
std::size_t most_wasteful(const std::vector<LaneRequest>& requests);

}  // namespace roofline::grader
