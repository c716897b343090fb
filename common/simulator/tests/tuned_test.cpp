// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Keeps tuned.simulated, what the model says of the tuned kernels of tuned.cases; published_test compares it
// with what was measured.
#include "simulator/tests/tuned.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "simulator/tests/published.h"

namespace roofline::sim::tuned {
namespace {

const std::string kTests = SIMULATOR_SOURCE "/tests/";
const std::string kDevices = SIMULATOR_SOURCE "/devices";

using Figures = std::vector<double> (*)(const std::string&, const std::vector<std::string>&);

/// Runs the lines of a kind, one in `every` of them, and compares them with what is stored. With
/// ROOFLINE_UPDATE_PAGES runs all, and stores them.
void check(const std::string& kind, size_t every, Figures figures) {
  const std::string path = kTests + "tuned.simulated";
  const bool update = std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr;
  std::vector<std::string> wanted;
  std::string card;
  size_t number = 0;
  for (const auto& m : published_measurements({kTests + "tuned.cases"}, kDevices))
    if (m.kind == kind && (number++ % every == 0 || update)) {
      wanted.push_back(m.arguments);
      card = m.card;
    }
  const auto now = figures(card, wanted);
  ASSERT_EQ(now.size(), wanted.size());
  ASSERT_GT(now.size(), 1u);
  auto stored = published::stored_figures(path);
  if (update) {
    for (size_t i = 0; i < now.size(); ++i) stored[kind + ' ' + card + ' ' + wanted[i]] = now[i];
    std::ofstream file(path);
    file << "# SPDX-FileCopyrightText: Roofline Labs contributors\n# SPDX-License-Identifier: Apache-2.0\n#\n"
            "# What the model says of the lines of tuned.cases. Made by ROOFLINE_UPDATE_PAGES=1 ./lab test "
            "-R Tuned.\n";
    for (const auto& [name, figure] : stored) file << name << " = " << std::setprecision(4) << figure << '\n';
  }
  // Compilers choose registers, and with them how many blocks fit: that may move a figure a little.
  for (size_t i = 0; i < now.size(); ++i)
    EXPECT_NEAR(stored[kind + ' ' + card + ' ' + wanted[i]] / now[i], 1, 0.05)
        << kind << ' ' << wanted[i]
        << ": run ROOFLINE_UPDATE_PAGES=1 ./lab test -R Tuned, then -R Published the same way";
}

TEST(Tuned, ProductsAreTheModelsOfToday) { check("product", 7, tuned::products); }
TEST(Tuned, TensorTilesAreTheModelsOfToday) { check("tensor-tile", 2, tuned::tensor_tiles); }
TEST(Tuned, DedispersionsAreTheModelsOfToday) {
  check("dedispersion", 15, [](const std::string& card, const std::vector<std::string>& wanted) {
    return tuned::dedispersion(card, wanted);
  });
}

}  // namespace
}  // namespace roofline::sim::tuned
