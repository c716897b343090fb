// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simulator/types.h"

/// What the parser makes of PTX text: plain structs, no behaviour, no knowledge of what an opcode means.
namespace roofline::sim::ptx {

enum class Space : u8 { kNone, kReg, kConst, kGlobal, kLocal, kParam, kShared, kGeneric };

/// A PTX fundamental type: `.u32` is {kUnsigned, 32}, `.b64` {kBits, 64}, `.pred` {kPredicate, 1}.
struct Type {
  enum class Kind : u8 { kNone, kBits, kUnsigned, kSigned, kFloat, kBFloat, kPredicate, kOther };
  Kind kind = Kind::kNone;
  u16 bits = 0;
  u8 lanes = 1;  ///< 2 for the packed types f16x2, bf16x2, u16x2, s16x2 (bits is then 32)
  u32 bytes() const { return (bits + 7u) / 8u; }
  bool operator==(const Type&) const = default;
};

/// Where something stands in the PTX text; 1-based, 0 when unknown.
struct TextPosition {
  u32 line = 0;
  u32 column = 0;
};

/// Where something stands in the CUDA source, from `.loc` (needs -lineinfo); file indexes Module::files. Code
/// inlined from toolkit headers counts for the line that called it.
struct SourceLine {
  u32 file = 0;
  u32 line = 0;
  u32 caller_file = 0, caller_line = 0;  ///< where a function that holds the line was inlined; 0: nowhere
};

struct Operand;
using OperandList = std::vector<Operand>;

/// One operand. A register name is already made unique inside its function (scopes are resolved).
struct Operand {
  enum class Kind : u8 {
    kRegister,  ///< name, e.g. "%r1"; `negated` for "!%p1"
    kSpecial,   ///< special register: name with its component, e.g. "%tid.x", "%laneid", "%clock64"
    kInteger,   ///< bits: the literal's two's complement value
    kFloat,     ///< number: the literal as double; bits: its image; `is_single` for 0f........ literals
    kSymbol,    ///< variable, function or label name; `offset` for name+4
    kAddress,   ///< "[base+offset]": base register in name, or symbol when base_is_symbol, or neither
                ///< (absolute)
    kVector,    ///< "{a, b, ...}": elements
    kPair,      ///< "d|p": elements[0], which may be a vector, elements[1]
    kDiscard    ///< "_"
  };
  Kind kind = Kind::kDiscard;
  bool negated = false;
  bool minus = false;  ///< enters with the other sign; no text says so, analysis/contractions.h does
  bool is_single = false;
  bool base_is_symbol = false;
  u8 part = 0;  ///< of a register, for video instructions: 1 + n for .bn, 5 + n for .hn; 0: all of it
  std::string name;
  u64 bits = 0;
  double number = 0;
  s64 offset = 0;
  OperandList elements;
  TextPosition at;
};

struct Instruction {
  std::string opcode;                  ///< "add", "ld", "bar", ...: the part before the first dot
  std::vector<std::string> modifiers;  ///< "global", "v4", "f32", ... without dots, in order
  OperandList operands;                ///< for call: see CallSite in `call`
  std::string guard;                   ///< predicate register of "@%p1", empty when unguarded
  bool guard_negated = false;
  TextPosition at;
  SourceLine source;

  /// Only for opcode "call".
  struct Call {
    std::vector<std::string> results;  ///< names of .param (or .reg) variables
    OperandList arguments;             ///< names of .param (or .reg) variables, or literals
    Operand target;                    ///< kSymbol for a direct call, kRegister for an indirect one
    std::string prototype;             ///< name of the .callprototype or .calltargets, if given
  };
  std::optional<Call> call;
};

struct RegisterDeclaration {
  std::string name;
  Type type;
};

/// A variable or parameter. For an array, bytes = element size x all dimensions.
struct Variable {
  std::string name;
  Space space = Space::kNone;
  Type type;
  u32 vector = 1;  ///< .v2 / .v4
  u64 bytes = 0;   ///< 0 for `extern .shared x[]`
  u32 alignment = 1;
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false, is_managed = false;
  bool is_array = false;
  std::vector<u8> initial;  ///< empty or exactly `bytes` long
  /// An address stored inside `initial`: the symbol's (generic) address plus addend goes to [at, at+size).
  struct Relocation {
    u64 at;
    std::string symbol;
    s64 addend;
    u32 size;       ///< bytes, 8 normally; mask()ed single bytes use 1
    u32 shift = 0;  ///< for mask(): which byte, in bits
    bool generic;
  };
  std::vector<Relocation> relocations;
  TextPosition at;
};

struct Label {
  std::string name;
  u32 instruction = 0;  ///< index of the instruction that follows
};

struct BranchTargets {  ///< .branchtargets list for brx.idx
  std::string name;
  std::vector<std::string> labels;
};

struct CallPrototype {
  std::string name;
  std::vector<Variable> results, parameters;
};

struct Function {
  std::string name;
  bool is_entry = false, is_extern = false, is_visible = false, is_weak = false, is_noreturn = false;
  bool has_body = false;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
  std::vector<RegisterDeclaration> registers;
  std::vector<Variable>
      variables;  ///< .local, .shared, .param (call space), .global/.const declared in the body
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<BranchTargets> branch_targets;
  std::vector<CallPrototype> prototypes;
  u32 max_threads[3] = {0, 0, 0};  ///< .maxntid, 0 when absent
  u32 required_threads[3] = {0, 0, 0};
  u32 min_blocks = 0;          ///< .minnctapersm
  u32 cluster[3] = {0, 0, 0};  ///< .reqnctapercluster, 0 when absent
  TextPosition at;
};

struct Module {
  u32 version_major = 0, version_minor = 0;
  u32 target = 0;  ///< 80 for sm_80 or compute_80; suffixes a/f are kept in target_name
  std::string target_name;
  bool is_debug = false;             ///< compiled with -G
  std::map<u32, std::string> files;  ///< `.file` index to path
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<std::string> aliases;  ///< pairs alias, target
};

}  // namespace roofline::sim::ptx
