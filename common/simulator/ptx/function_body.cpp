// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/function_body.h"

#include <algorithm>

namespace roofline::sim::ptx {
namespace {

constexpr u32 kMostRegisters = 1u << 20;
constexpr u32 kMostLines = 1u << 30;

/// The opcodes whose operands have a syntax of their own: the argument lists of a call, and a label, which
/// may be declared later. The grammar says no more about opcodes; what they mean stands in isa/.
constexpr std::string_view kCall = "call", kBranch = "bra";

}  // namespace

void FunctionReader::body() {
  while (true) {
    const Token token = lexer_.peek();
    if (lexer_.at_end()) lexer_.fail(function_.at, "the body of '" + function_.name + "' is never closed");
    if (token.is('{')) {
      lexer_.next();
      scopes_.open(token);
    } else if (token.is('}')) {
      lexer_.next();
      scopes_.close();
      if (scopes_.depth() == 0) break;
    } else {
      statement(token);
    }
  }
  settle_references();
}

void FunctionReader::statement(const Token& token) {
  if (lexer_.accept(';')) return;
  if (lexer_.accept('@')) {
    const bool negated = lexer_.accept('!');
    std::string guard = operands_.guard();
    return instruction(lexer_.expect_word("an instruction behind the guard"), std::move(guard), negated);
  }
  if (token.kind == Token::Kind::kDotWord) {
    lexer_.next();
    return directive(token);
  }
  const Token word = lexer_.expect_word("an instruction, a label or a directive");
  if (lexer_.accept(':')) return label(word);
  instruction(word, {}, false);
}

void FunctionReader::directive(const Token& token) {
  const std::string_view word = token.text;
  if (word == ".loc") return location();
  if (word == ".reg") return registers();
  if (const Space space = space_named(word); space != Space::kNone) return variables(space);
  if (word == ".pragma") return declarations_.pragma();
  lexer_.fail(token, "unknown directive '" + std::string(word) + "' in a function");
}

void FunctionReader::registers() {
  const DeclarationHead head = declarations_.head(Space::kReg);
  do {
    const Token name = lexer_.expect_word("the name of a register");
    if (lexer_.accept('<')) {
      const u32 count = lexer_.expect_count("the number of registers", kMostRegisters);
      lexer_.expect('>', "behind the number of registers");
      scopes_.declare_range(name, count, head.type, head.vector);
    } else {
      const Scopes::Kind kind = head.vector > 1 ? Scopes::Kind::kVectorRegister : Scopes::Kind::kRegister;
      if (head.vector > 4) lexer_.fail(name, "a vector register has 2 or 4 components");
      scopes_.declare(name, kind, head.type, head.vector);
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "or ',' behind a register");
}

void FunctionReader::variables(Space space) {
  const DeclarationHead head = declarations_.head(space);
  do {
    Token name;
    Variable variable = declarations_.variable(head, name, false);
    variable.name = scopes_.declare(name, Scopes::Kind::kVariable, variable.type, 1);
    function_.variables.push_back(std::move(variable));
  } while (lexer_.accept(','));
  lexer_.expect(';', "or ',' behind a variable");
}

Locations::Place FunctionReader::place() {
  Locations::Place place;
  place.file = lexer_.expect_count("the number of a file", kMostLines);
  place.line = lexer_.expect_count("a line", kMostLines);
  place.column = lexer_.expect_count("a column", kMostLines);
  return place;
}

void FunctionReader::location() {
  const Locations::Place inner = place();
  if (!lexer_.accept(',')) {
    source_ = locations_.at(inner);
    return;
  }
  // "function_name $L__info_string0 + 12, inlined_at 1 33 3": where the code was inlined into.
  lexer_.expect_word("function_name");
  lexer_.expect_word("the label of the function's name");
  if (lexer_.accept('+')) lexer_.expect_integer("an offset");
  lexer_.expect(',', "before inlined_at");
  lexer_.expect_word("inlined_at");
  source_ = locations_.at(inner, place());
}

void FunctionReader::label(const Token& name) {
  if (lexer_.accept(".branchtargets") || lexer_.accept(".calltargets")) return targets(name);
  if (lexer_.accept(".callprototype")) return prototype(name);
  function_.labels.push_back(
      {scopes_.declare(name, Scopes::Kind::kLabel), static_cast<u32>(function_.instructions.size())});
}

void FunctionReader::targets(const Token& name) {
  const u32 index = static_cast<u32>(function_.branch_targets.size());
  BranchTargets& list = function_.branch_targets.emplace_back();
  list.name = scopes_.declare(name, Scopes::Kind::kLabel);
  do {
    const Token label = lexer_.expect_word("a label");
    const u32 element = static_cast<u32>(list.labels.size());
    list.labels.emplace_back(label.text);
    scopes_.refer({Scopes::Reference::Where::kTargetList, index, element, label.text, label.at});
  } while (lexer_.accept(','));
  lexer_.expect(';', "or ',' in a list of targets");
}

void FunctionReader::prototype(const Token& name) {
  CallPrototype& prototype = function_.prototypes.emplace_back();
  prototype.name = scopes_.declare(name, Scopes::Kind::kLabel);
  std::vector<Token> names;
  if (lexer_.peek().is('(')) prototype.results = declarations_.parameters(names);
  lexer_.expect_word("'_' in a call prototype");
  if (lexer_.peek().is('(')) prototype.parameters = declarations_.parameters(names);
  while (lexer_.accept(".noreturn") || lexer_.accept(".abi_preserve_control") ||
         lexer_.accept(".abi_preserve")) {
    if (lexer_.peek().kind == Token::Kind::kInteger) lexer_.next();
  }
  lexer_.expect(';', "behind a call prototype");
}

void FunctionReader::instruction(const Token& opcode, std::string guard, bool guard_negated) {
  if (opcode.text.front() == '%' || opcode.text.front() == '$')
    lexer_.fail(opcode, "expected an instruction");
  const u32 index = static_cast<u32>(function_.instructions.size());
  Instruction& instruction = function_.instructions.emplace_back();
  instruction.opcode = opcode.text;
  instruction.at = opcode.at;
  instruction.source = source_;
  instruction.guard = std::move(guard);
  instruction.guard_negated = guard_negated;
  while (lexer_.peek().kind == Token::Kind::kDotWord) {
    instruction.modifiers.emplace_back(lexer_.next().text.substr(1));
  }
  if (instruction.opcode == kCall) return call(instruction);
  if (lexer_.accept(';')) return;
  instruction.operands.reserve(4);
  do {
    std::string_view unknown;
    const TextPosition at = lexer_.peek().at;
    const u32 element = static_cast<u32>(instruction.operands.size());
    instruction.operands.push_back(operands_.operand(unknown));
    if (!unknown.empty()) scopes_.refer({Scopes::Reference::Where::kOperand, index, element, unknown, at});
  } while (lexer_.accept(','));
  lexer_.expect(';', "or ',' behind an operand");
}

void FunctionReader::call(Instruction& instruction) {
  Instruction::Call& call = instruction.call.emplace();
  if (lexer_.accept('(')) {
    if (!lexer_.accept(')')) {
      do call.results.push_back(operands_.call_variable());
      while (lexer_.accept(','));
      lexer_.expect(')', "or ',' behind a result");
    }
    lexer_.expect(',', "behind the results of a call");
  }
  const Token target = lexer_.peek();
  std::string_view unknown;
  call.target = operands_.operand(unknown);
  if (call.target.kind != Operand::Kind::kSymbol && call.target.kind != Operand::Kind::kRegister) {
    lexer_.fail(target, "a call needs a function or a register that holds a function's address");
  }
  if (!unknown.empty()) references_.push_back({unknown, target.at});
  call_tail(instruction);
}

void FunctionReader::call_tail(Instruction& instruction) {
  Instruction::Call& call = *instruction.call;
  const u32 index = static_cast<u32>(function_.instructions.size()) - 1;
  bool has_arguments = false;
  while (lexer_.accept(',')) {
    if (!has_arguments && lexer_.accept('(')) {
      has_arguments = true;
      if (lexer_.accept(')')) continue;
      do argument(call);
      while (lexer_.accept(','));
      lexer_.expect(')', "or ',' behind an argument");
      continue;
    }
    const Token prototype = lexer_.expect_word("arguments or the name of a call prototype");
    call.prototype = prototype.text;
    scopes_.refer({Scopes::Reference::Where::kPrototype, index, 0, prototype.text, prototype.at});
    break;
  }
  lexer_.expect(';', "at the end of a call");
}

void FunctionReader::argument(Instruction::Call& call) {
  std::string_view unknown;
  const Token token = lexer_.peek();
  call.arguments.push_back(operands_.operand(unknown));
  if (!unknown.empty()) lexer_.fail(token, "'" + std::string(unknown) + "' is not declared");
}

void FunctionReader::settle_references() {
  for (const Scopes::Reference& reference : scopes_.unanswered()) {
    using Where = Scopes::Reference::Where;
    const bool is_label =
        reference.where == Where::kPrototype ||
        (reference.where == Where::kOperand && function_.instructions[reference.index].opcode == kBranch);
    if (is_label) {
      const char* what = reference.where == Where::kPrototype ? "call prototype" : "label";
      lexer_.fail(reference.at, std::string("'") + function_.name + "' has no " + what + " '" +
                                    std::string(reference.name) + "'");
    }
    references_.push_back({reference.name, reference.at});
  }
}

}  // namespace roofline::sim::ptx
