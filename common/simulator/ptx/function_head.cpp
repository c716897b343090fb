// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/function_body.h"

namespace roofline::sim::ptx {
namespace {

constexpr u32 kMostThreads = 1u << 20;

}  // namespace

std::vector<Variable> FunctionReader::parameters() {
  std::vector<Token> names;
  std::vector<Variable> list = declarations_.parameters(names);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (names[i].text == "_") continue;
    const bool is_register = list[i].space == Space::kReg;
    list[i].name = scopes_.declare(names[i], is_register ? Scopes::Kind::kRegister : Scopes::Kind::kVariable,
                                   list[i].type, 1);
  }
  return list;
}

void FunctionReader::read() {
  if (lexer_.peek().kind == Token::Kind::kDotWord && lexer_.accept(".attribute")) {
    lexer_.expect('(', "behind .attribute");
    u32 depth = 1;
    while (depth > 0) {
      if (lexer_.at_end()) lexer_.fail_expected("')'");
      const Token token = lexer_.next();
      if (token.is('(')) ++depth;
      if (token.is(')')) --depth;
    }
  }
  if (lexer_.peek().is('(')) {
    if (function_.is_entry) lexer_.fail(lexer_.peek(), "an .entry returns nothing");
    function_.results = parameters();
  }
  const Token name = lexer_.expect_word("the name of the function");
  function_.name = name.text;
  function_.at = name.at;
  if (lexer_.peek().is('(')) function_.parameters = parameters();
  limits();
  if (lexer_.accept(';')) return;
  if (!lexer_.peek().is('{')) lexer_.fail_expected("'{' or ';' behind the head of a function");
  lexer_.next();
  function_.has_body = true;
  body();
}

void FunctionReader::threads(u32 (&extent)[3]) {
  extent[0] = lexer_.expect_count("a number of threads", kMostThreads);
  extent[1] = extent[2] = 1;
  for (int i = 1; i < 3 && lexer_.accept(','); ++i) {
    extent[i] = lexer_.expect_count("a number of threads", kMostThreads);
  }
}

void FunctionReader::limits() {
  while (lexer_.peek().kind == Token::Kind::kDotWord) {
    const Token token = lexer_.next();
    const std::string_view word = token.text;
    if (word == ".maxntid") {
      threads(function_.max_threads);
    } else if (word == ".reqntid") {
      threads(function_.required_threads);
    } else if (word == ".minnctapersm") {
      function_.min_blocks = lexer_.expect_count("a number of blocks", kMostThreads);
    } else if (word == ".noreturn") {
      function_.is_noreturn = true;
    } else if (word == ".pragma") {
      declarations_.pragma();
    } else if (word == ".maxnreg" || word == ".maxnctapersm" || word == ".maxclusterrank" ||
               word == ".abi_preserve" || word == ".abi_preserve_control") {
      lexer_.expect_count("a number", kMostThreads);
    } else if (word == ".reqnctapercluster") {
      threads(function_.cluster);
    } else if (word != ".explicitcluster" && word != ".blocksareclusters") {
      lexer_.fail(token, "unknown directive '" + std::string(word) + "' behind the head of a function");
    }
  }
}

}  // namespace roofline::sim::ptx
