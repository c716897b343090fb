// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/types.h"

/// What one warp does at one source line, lane by lane: what `lab show` draws. Plain data; it crosses the
/// channel from the machine to the observer.
namespace roofline::sim {

/// Which line of which launch to look at.
struct PictureRequest {
  std::string file;  ///< its name, with or without folders
  u32 line = 0;
  u32 launch = 1;            ///< of the launches whose kernel holds the file, counted from 1
  u64 block = 0;             ///< counted in x, then y, then z order
  u32 warp = 0;              ///< of that block
  u64 most_requests = 64;    ///< further requests of the warp are counted, not kept
  u64 most_elements = 1024;  ///< of an array, from its beginning, whose writers are kept
  u64 most_steps = 4096;     ///< instructions of the warp whose active lanes are kept
};

struct AccessPicture {
  enum class Kind : u8 { kLoad, kStore, kAtomic };
  struct Instruction {
    std::string text;
    u32 line = 0;  ///< in the file that was asked for; 0: elsewhere
  };
  struct Place {
    std::string what;  ///< "argument 1", "shared memory", ...
    u64 bytes = 0;     ///< how long it is
  };
  /// One request of the warp to global or shared memory.
  struct Request {
    u32 instruction = 0;  ///< into `instructions`
    Kind kind = Kind::kLoad;
    bool shared = false;
    u32 mask = 0, width = 0;     ///< active lanes; bytes a lane
    u32 place = 0;               ///< into `places`, of the first active lane
    u64 address = 0;             ///< of `place`; shared memory: 0
    std::vector<u64> addresses;  ///< one a lane, 0 where it is not active; shared memory: offsets
    /// As the machine counts them: sectors of global memory, passes over the banks of shared memory.
    u64 cost = 0, ideal = 0;
  };
  /// Who wrote an element of the array that the line stores to.
  struct Writer {
    u64 element = 0, block = 0;
    u32 thread = 0;  ///< of the block, counted in x, then y, then z order
  };
  /// One instruction of the warp, in the order of execution.
  struct Step {
    u32 instruction = 0;
    u32 active = 0;
  };

  bool found = false;   ///< the launch took place, has that warp, and the line holds an instruction
  std::string problem;  ///< why not, in a sentence
  std::string kernel;
  u64 launches = 0;        ///< whose kernel holds the file
  std::vector<u32> lines;  ///< of the file, in these kernels, that access memory; ascending
  Dim3 grid, block_size;
  u32 existing = 0;  ///< lanes of the warp that are threads of the block
  std::vector<Instruction> instructions;
  std::vector<Place> places;
  std::vector<Request> requests;
  u64 all_requests = 0;                      ///< kept or not
  u32 written_place = 0, written_width = 0;  ///< of `writers`; a width of 0: the line stores nothing
  std::vector<Writer> writers;               ///< in the order of execution
  std::vector<Step> steps;
  u64 all_steps = 0;
};

}  // namespace roofline::sim
