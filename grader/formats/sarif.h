// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/profile/finding.h"

namespace roofline::grader {

/// Who looked, and where.
struct SarifSource {
  std::string tool = "Roofline Labs simulated GPU";
  bool simulated = true;
};

/// SARIF 2.1.0, which editors and code hosts show beside the source. Files below `root` are written
/// relative to it. `rules`: every rule that could have fired (id, title), so that a viewer knows what was
/// looked for; rules of findings that are not among them are added.
std::string sarif(const std::vector<Finding>& findings,
                  const std::vector<std::pair<std::string, std::string>>& rules,
                  const std::filesystem::path& root, const SarifSource& source = {});

}  // namespace roofline::grader
