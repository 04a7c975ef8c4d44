//===- Assembly.cpp - Parser of PTX without branches ------------*- C++ -*-===//
#include "Assembly.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace blockdsl;

static std::string withoutComments(StringRef text) {
  std::string kept;
  while (!text.empty()) {
    if (text.consume_front("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.consume_front("/*")) {
      size_t end = text.find("*/");
      text = end == StringRef::npos ? StringRef() : text.drop_front(end + 2);
      kept += ' ';
    } else {
      kept += text.front();
      text = text.drop_front();
    }
  }
  return kept;
}

namespace {
class Parser {
public:
  Parser(Operation *op, Assembly &assembly) : op(op), assembly(assembly) {}

  LogicalResult parse() {
    StringRef rest = assembly.text;
    while (true) {
      // Braces around statements only limit the scope of names.
      rest = rest.ltrim(" \t\r\n;{}");
      if (rest.empty())
        return success();
      StringRef statement = rest.take_until([](char c) { return c == ';'; });
      rest = rest.drop_front(statement.size());
      // The closing brace of a scope may follow the statement, whose own braces are balanced.
      statement = statement.trim();
      while (statement.count('}') > statement.count('{') && statement.ends_with("}"))
        statement = statement.drop_back().rtrim();
      if (failed(parseStatement(statement)))
        return failure();
    }
  }

private:
  LogicalResult parseStatement(StringRef statement) {
    AssemblyInstruction instruction;
    instruction.text = statement;
    if (statement.consume_front("@")) {
      instruction.isNegated = statement.consume_front("!");
      instruction.predicate = statement.take_until(isSpace);
      statement = statement.drop_front(instruction.predicate.size()).ltrim();
    }
    // A single colon ends a label; a double one is part of a word, as in `.shared::cta`.
    size_t end = statement.find_first_of(" \t\r\n:{");
    while (end != StringRef::npos && statement.substr(end).starts_with("::"))
      end = statement.find_first_of(" \t\r\n:{", end + 2);
    StringRef opcode = instruction.opcode = statement.take_front(end);
    StringRef operands = statement.drop_front(opcode.size()).ltrim();
    if (operands.starts_with(":"))
      return refuseAssembly(op) << "branches are not read ('" << opcode << ":')";
    if (opcode == ".reg" && instruction.predicate.empty())
      return parseRegisters(operands);
    if (opcode.empty() || opcode.starts_with("."))
      return refuseAssembly(op) << "directives are not read ('" << instruction.text << "')";
    if (opcode == "bra" || opcode.starts_with("bra."))
      return refuseAssembly(op) << "branches are not read ('" << instruction.text << "')";
    opcode.split(instruction.suffixes, '.');
    instruction.name = instruction.suffixes.front();
    instruction.suffixes.erase(instruction.suffixes.begin());
    while (!operands.empty()) {
      AssemblyOperand &operand = instruction.operands.emplace_back();
      if (operands.starts_with("{")) {
        operand.text = operands.take_until([](char c) { return c == '}'; });
        operands = operands.drop_front(operand.text.size());
        if (!operands.consume_front("}"))
          return refuseAssembly(op) << "expects '}' in '" << statement << "'";
        for (StringRef part : llvm::split(operand.text.drop_front(), ','))
          operand.parts.push_back(part.trim());
      } else {
        operand.text = operands.take_until([](char c) { return c == ','; });
        operands = operands.drop_front(operand.text.size());
        operand.text = operand.text.trim();
      }
      operands = operands.ltrim();
      if (!operands.empty() && !operands.consume_front(","))
        return refuseAssembly(op) << "expects ',' between the operands of '" << statement << "'";
      operands = operands.ltrim();
    }
    assembly.instructions.push_back(std::move(instruction));
    return success();
  }

  /// Parses `.b32 a, b<4>`, which declares a and b0 to b3.
  LogicalResult parseRegisters(StringRef declaration) {
    StringRef type = declaration.take_until([](char c) { return isSpace(c); });
    unsigned width = 1;
    if (type != ".pred" && (type.drop_front(std::min<size_t>(2, type.size())).getAsInteger(10, width) ||
                            !llvm::is_contained({8u, 16u, 32u, 64u}, width)))
      return refuseAssembly(op) << "expects predicates, or registers of 8 to 64 bits, got '" << type << "'";
    for (StringRef name : llvm::split(declaration.drop_front(type.size()), ',')) {
      name = name.trim();
      auto [stem, count] = name.split('<');
      if (count.empty()) {
        assembly.registers[name] = width;
        continue;
      }
      unsigned number = 0;
      if (!count.consume_back(">") || count.trim().getAsInteger(10, number) || number > mostRegisters)
        return refuseAssembly(op) << "expects a number of registers up to " << mostRegisters << ", got '" << name
                                  << "'";
      for (unsigned i = 0; i < number; ++i)
        assembly.registers[(stem.trim() + Twine(i)).str()] = width;
    }
    return success();
  }

  static bool isSpace(char c) { return StringRef(" \t\r\n").contains(c); }

  static constexpr unsigned mostRegisters = 1024;

  Operation *op;
  Assembly &assembly;
};
} // namespace

InFlightDiagnostic blockdsl::refuseAssembly(Operation *op, StringRef replacement) {
  InFlightDiagnostic error = op->emitOpError("has no form on the CPU: ");
  error.attachNote(op->getLoc()) << "the functions of the language run everywhere" << (replacement.empty() ? "" : ": ")
                                 << replacement;
  return error;
}

LogicalResult blockdsl::parseAssembly(Operation *op, StringRef text, Assembly &assembly) {
  assembly.text = withoutComments(text);
  return Parser(op, assembly).parse();
}
