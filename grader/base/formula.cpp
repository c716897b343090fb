// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace roofline::grader {
namespace {

/// Recursive descent, one function a level of precedence.
class Formula {
 public:
  Formula(const std::string& text, const FormulaNames& names) : text_(text), names_(names) {}

  double value() {
    const double result = comparison();
    if (peek() != '\0') refuse("\"" + text_.substr(at_) + "\" is not expected");
    return result;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::invalid_argument("formula \"" + text_ + "\": " + why);
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  double comparison() {
    const double left = sum();
    if (take('<')) return left < sum() ? 1 : 0;
    if (take('>')) return left > sum() ? 1 : 0;
    return left;
  }
  double sum() {
    double result = product();
    for (;;) {
      if (take('+'))
        result += product();
      else if (take('-'))
        result -= product();
      else
        return result;
    }
  }
  double product() {
    double result = power();
    for (;;) {
      if (take('*'))
        result *= power();
      else if (take('/'))
        result /= power();
      else
        return result;
    }
  }
  double power() {
    if (take('-')) return -power();
    const double base = atom();
    return take('^') ? std::pow(base, power()) : base;
  }

  double atom() {
    if (take('(')) {
      const double inner = comparison();
      if (!take(')')) refuse("a ) is missing");
      return inner;
    }
    const char first = peek();
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(first))) return named();
    refuse("a number, a name or a ( is expected" +
           (first ? ", not " + std::string(1, first) : std::string()));
  }
  double number() {
    double result = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), result);
    if (error != std::errc()) refuse("no number");
    at_ += static_cast<size_t>(end - begin);
    return result;
  }
  double named() {
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    if (take('(')) return call(name);
    const auto known = names_.values.find(name);
    if (known == names_.values.end()) refuse("there is no " + name);
    return known->second;
  }
  double call(const std::string& name) {
    std::vector<double> arguments;
    do arguments.push_back(comparison());
    while (take(','));
    if (!take(')')) refuse("a ) is missing");
    if (const auto own = names_.functions.find(name); own != names_.functions.end())
      return own->second(arguments);
    if (name == "min") return *std::ranges::min_element(arguments);
    if (name == "max") return *std::ranges::max_element(arguments);
    if (arguments.size() == 1) {
      if (name == "floor") return std::floor(arguments[0]);
      if (name == "ceil") return std::ceil(arguments[0]);
      if (name == "sqrt") return std::sqrt(arguments[0]);
      if (name == "log2") return std::log2(arguments[0]);
    }
    refuse("there is no function " + name + " of so many numbers");
  }

  const std::string& text_;
  const FormulaNames& names_;
  size_t at_ = 0;
};

}  // namespace

double evaluate(const std::string& formula, const FormulaNames& names) {
  return Formula(formula, names).value();
}

}  // namespace roofline::grader
