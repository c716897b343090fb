// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

/// Arithmetic that stands in a file: `ceil(bytes / (32 * width))`.
namespace roofline::grader {

struct FormulaNames {
  std::map<std::string, double> values;
  /// Beside floor, ceil, min, max, sqrt, log2.
  std::map<std::string, std::function<double(const std::vector<double>&)>> functions{};
};

/// Numbers, names, + - * / ^ ( ), < and > (1 where it holds, else 0), functions with arguments. Throws
/// std::invalid_argument, of one sentence, for anything else.
double evaluate(const std::string& formula, const FormulaNames& names);

}  // namespace roofline::grader
