// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "docs/tests/text_files.h"
#include "grader/base/units.h"
#include "grader/text/svg.h"

/// What tests write into the pages: pictures and tables. ROOFLINE_UPDATE_PAGES=1 writes them.
namespace roofline::docs {

inline void expect_current(const std::filesystem::path& path, const std::string& now) {
  if (std::getenv("ROOFLINE_UPDATE_PAGES")) write_text(path, now);
  EXPECT_EQ(text_of(path), now) << path << " is not current: ROOFLINE_UPDATE_PAGES=1 ./lab test -R Page";
}

/// The axes of a diagram with two logarithmic scales.
inline void axes(grader::Svg& svg, const grader::LogScale& x, const grader::LogScale& y,
                 const std::string& x_name, const std::string& y_name) {
  using Anchor = grader::Svg::Anchor;
  for (const double tick : y.ticks(10, 8)) {
    svg.line({x.from, y.at(tick)}, {x.to, y.at(tick)}, "grid");
    svg.text({x.from - 8, y.at(tick) + 4}, grader::compact(tick), "tick", Anchor::kEnd);
  }
  for (const double tick : x.ticks(x.high / x.low > 5000 ? 10 : 4, 12)) {
    svg.line({x.at(tick), y.from}, {x.at(tick), y.from + 4}, "axis");
    svg.text({x.at(tick), y.from + 17}, grader::compact(tick, 6), "tick", Anchor::kMiddle);
  }
  svg.line({x.from, y.from}, {x.to, y.from}, "axis");
  svg.line({x.from, y.from}, {x.from, y.to}, "axis");
  svg.text({x.to, y.from + 34}, x_name, "note", Anchor::kEnd);
  svg.text({x.from, y.to - 8}, y_name, "label");
}

}  // namespace roofline::docs
