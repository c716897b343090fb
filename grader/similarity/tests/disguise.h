// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

/// What somebody does to a copied program so that it looks like their own.
namespace roofline::grader {

/// Every name that the given code does not have gets another one, and so do those of `also`.
inline std::string renamed(const std::string& text, const std::string& given,
                           const std::set<std::string>& also = {}) {
  static const std::regex kName(R"([A-Za-z_]\w*)");
  static const std::set<std::string> kLanguage = {
      "const",     "int",      "float",    "void", "unsigned", "if",     "else",        "for",
      "while",     "return",   "struct",   "auto", "std",      "size_t", "static_cast", "reinterpret_cast",
      "constexpr", "template", "typename", "bool", "true",     "false",  "sizeof",      "include",
      "namespace", "using",    "half",     "char", "extern",   "class",  "x",           "y",
      "z",         "w"};
  std::set<std::string> fixed = kLanguage;
  for (std::sregex_iterator it(given.begin(), given.end(), kName), end; it != end; ++it)
    if (!also.contains(it->str())) fixed.insert(it->str());
  std::map<std::string, std::string> names;
  std::string out;
  auto begin = text.cbegin();
  for (std::sregex_iterator it(text.begin(), text.end(), kName), end; it != end; ++it) {
    const std::string name = it->str();
    out.append(begin, (*it)[0].first);
    begin = (*it)[0].second;
    const bool cuda = name.starts_with("__") || name.starts_with("cuda") || name.ends_with("Idx") ||
                      name.ends_with("Dim") || name.ends_with("_sync") || name.starts_with("fma");
    if (fixed.contains(name) || cuda)
      out += name;
    else
      out += names.emplace(name, "my_" + std::to_string(names.size())).first->second;
  }
  return out.append(begin, text.cend());
}

/// Other comments, other blanks, another order of digits in numbers' spelling.
inline std::string recommented(const std::string& text) {
  std::string out =
      std::regex_replace(text, std::regex(R"(//[^\n]*)"), "/* I thought about this for long */");
  out = std::regex_replace(out, std::regex(R"(\n  )"), "\n\n\t  // my own idea\n    ");
  return std::regex_replace(out, std::regex(R"(\b256\b)"), "0x100");
}

/// Top-level pieces, divided by blank lines, in the opposite order; the first and the last stay.
inline std::string reordered(const std::string& text) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (std::size_t at = text.find("\n\n"); at != text.npos; at = text.find("\n\n", begin)) {
    pieces.push_back(text.substr(begin, at + 2 - begin));
    begin = at + 2;
  }
  pieces.push_back(text.substr(begin));
  if (pieces.size() > 3) std::reverse(pieces.begin() + 1, pieces.end() - 1);
  std::string out;
  for (const std::string& piece : pieces) out += piece;
  return out;
}

/// A statement that does nothing after every `each`-th line that ends one.
inline std::string padded(const std::string& text, int each) {
  std::string out;
  int ends = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i > 1 && text[i - 1] == ';' && text.compare(i + 1, 2, "  ") == 0 &&
        ++ends % each == 0)
      out += "  if (false) { volatile int waste_" + std::to_string(ends) + " = 7 * 3; (void)waste_" +
             std::to_string(ends) + "; }\n";
  }
  return out;
}

}  // namespace roofline::grader
