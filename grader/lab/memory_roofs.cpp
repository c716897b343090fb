// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/memory_roofs.h"

#include <cmath>

#include "grader/lab/chain_reference.h"

namespace roofline::grader {
namespace {

constexpr double kKibi = 1024, kMebi = 1024 * 1024;
/// Bytes that a roof moves in a direction, and chunks at least: so that the first and the last cost little.
constexpr double kTotal = 16 * kMebi, kFewest = 4;

double both(const Settings& s) { return 4 * s["chunk"] * (s["in"] + s["out"]); }

Output arrived() {
  return {.argument = "y",
          .reference =
              [](const CallView&, std::uint64_t begin, std::uint64_t end, Expected* expected) {
                for (auto i = begin; i < end; ++i)
                  expected[i - begin] = {static_cast<double>(i % 16777213), 0};
              },
          .tolerance = {.c = 0}};
}

Output left() {
  return {.argument = "echo",
          .reference =
              [](const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
                const auto x = call.input<float>("x");
                const auto chunk = static_cast<std::uint64_t>(call.scalar("chunk"));
                for (auto k = begin; k < end; ++k) expected[k - begin] = {x[k * chunk], 0};
              },
          .tolerance = {.c = 0}};
}

Roof link(const std::string& direction, const std::string& name, double bytes, bool in_too, bool out_too) {
  const double chunks = std::max(kFewest, kTotal / bytes);
  const std::string where = in_too && out_too ? "both ways at once"
                            : in_too          ? "to the device"
                                              : "to the host";
  return {.id = "link-" + direction + "-" + name,
          .title = "pinned copies " + where + ", chunks of " + name,
          .unit = "GB/s",
          .program = {.header = "link.h",
                      .source = "link.cu",
                      .function = "link_roof",
                      .arguments = {in("x", [](const Settings& s) { return s["out"] * s["chunk"]; }),
                                    out("y", [](const Settings& s) { return s["in"] * s["chunk"]; }),
                                    out("echo", "out"), size("in"), size("out"), size("chunk"), stream()},
                      .outputs = {arrived(), left()},
                      .host_memory = [](const Settings& s) { return both(s) + 2 * kMebi; }},
          .settings = {{"in", in_too ? chunks : 0}, {"out", out_too ? chunks : 0}, {"chunk", bytes / 4}},
          .work = both};
}

Roof chain(const std::string& id, const std::string& title, double again) {
  NamedValues settings = timed_chain();
  settings.emplace_back("again", again);
  return {.id = id,
          .title = title,
          .unit = "TFLOP/s",
          .program = {.header = "chain.h",
                      .source = "chain.cu",
                      .function = "chain_roof",
                      .arguments = chain_arguments(
                          {out("kept",
                               [](const Settings& s) { return (s["layers"] + 2) * activation_bytes(s) / 4; }),
                           random_integer("seed", 53), size("threshold", Type::kU32), scalar("scale"),
                           size("layers", Type::kS32), size("batch", Type::kS32), size("width", Type::kS32),
                           size("again", Type::kS32), stream()}),
                      .outputs = chain_outputs()},
          .settings = std::move(settings),
          .work = [](const Settings& s) { return chain_flops(s, s["again"]); },
          .unit_scale = 1e12,
          .of_hardware = false};
}

}  // namespace

NamedValues timed_chain() { return chain_settings(16, 128, 512); }

double computed_again(const Settings& settings) {
  const double segment = std::round(std::sqrt(settings["layers"]));
  return (std::ceil(settings["layers"] / segment) - 1) * (segment - 1);
}

std::vector<Roof> memory_roofs() {
  std::vector<Roof> roofs;
  const std::pair<const char*, double> sizes[] = {
      {"64k", 64 * kKibi}, {"256k", 256 * kKibi}, {"1m", kMebi}, {"16m", 16 * kMebi}};
  for (const auto& [name, bytes] : sizes) {
    roofs.push_back(link("in", name, bytes, true, false));
    roofs.push_back(link("out", name, bytes, false, true));
    roofs.push_back(link("both", name, bytes, true, true));
  }
  const double again = computed_again(Settings(timed_chain(), {}));
  roofs.push_back(chain("keep-all", "a chain of layers, every activation kept", 0));
  roofs.push_back(chain("recompute", "the chain, with the layers of its segments computed again", again));
  return roofs;
}

}  // namespace roofline::grader
