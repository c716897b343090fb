// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels that nobody chose: every kind of instruction of drawn_kernels.h alone, as fast as an SM takes it
// and as a chain, then mixes of them in grids of any shape.
//   drawn [SEED [MIXES]]
// needs: compute_80
// nvcc: -lcuda
#include "../drawn_kernels.h"
#include "../programs/driver.h"
#include "probe.h"

using namespace probe;
using namespace roofline::sim::drawn;

namespace {

/// One drawn kernel, loaded.
class Kernel {
 public:
  explicit Kernel(const Draw& drawn) : draw_(drawn) {
    DRIVER_OK(cuModuleLoadData(&module_, ptx_of(drawn).c_str()));
    DRIVER_OK(cuModuleGetFunction(&function_, module_, "k"));
  }
  ~Kernel() { cuModuleUnload(module_); }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  void launch(const char* memory, const char* counter) const {
    char zeros[128] = {};
    void* parameters[] = {&memory, &counter, zeros};
    DRIVER_OK(
        cuLaunchKernel(function_, draw_.blocks, 1, 1, draw_.threads, 1, 1, 0, nullptr, parameters, nullptr));
  }

 private:
  Draw draw_;
  CUmodule module_;
  CUfunction function_;
};

/// "ld.shared conflicts" as one word.
std::string word(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string described(const Draw& d) {
  std::string body;
  for (const auto& [kind, chain] : d.body)
    body += (body.empty() ? "" : ",") + word(kind->name) + ":" + std::to_string(chain);
  return key("blocks", d.blocks) + key("threads", d.threads) + key("rounds", d.rounds) +
         key("more", d.more_rounds) + key("every", d.every) + key("first", d.first) +
         (d.one_warp ? key("warp", d.warp) : "") + key("body", body);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long long seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const int mixes = argc > 2 ? std::atoi(argv[2]) : 300;
  DRIVER_OK(cuInit(0));
  const Array<char> memory(size_t{33} << 20), counter(256);
  const auto time = [&](const Draw& d, int repeats) {
    const Kernel kernel(d);
    return seconds([&] { kernel.launch(memory, counter); }, repeats);
  };

  // By the time that more rounds take more: neither the launch nor what comes before the loop is in it.
  const unsigned sms = unsigned(device().multiProcessorCount);
  for (const Kind& kind : kKinds)
    for (const bool chain : {false, true}) {
      Draw d{.threads = chain ? 32u : 512u, .blocks = chain ? 1 : sms};
      for (unsigned c = 0; c < 4; ++c) d.body.push_back({&kind, chain ? 0 : c});
      constexpr unsigned kFew = 64, kMany = 320;
      d.rounds = kFew;
      const double few = time(d, 1);
      d.rounds = kMany;
      report(key("drawn kind", word(kind.name)).substr(1) + key("mode", chain ? "chain" : "rate"),
             (time(d, 1) - few) / (kMany - kFew) * clock_hz() / 4 / (chain ? 1 : 16), "clocks");
    }

  std::mt19937_64 random(seed);
  for (int i = 0; i < mixes; ++i) {
    Draw d = draw(random, 600'000);
    d.cluster = 0;  // as a launch of cuLaunchKernel has none
    report("drawn seed=" + std::to_string(seed) + key("number", i) + described(d), time(d, 4) * 1e6, "us");
  }
}
