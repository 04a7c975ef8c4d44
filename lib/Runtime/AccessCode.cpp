//===- AccessCode.cpp - Reader of access formulas -----------------------------------------------------------------===//
//
// Formulas may come from a file, so they are verified completely, once per kernel.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "AccessNodes.h"

#include <algorithm>

using namespace blockdsl::runtime;

const std::vector<size_t> &AccessCheck::getNumbers(size_t access) const {
  return formulas[accesses[access].formula].numbers;
}

/// Reads one sequence. `good` becomes false at the first error.
class AccessCheck::Reader {
public:
  Reader(const std::vector<int64_t> &code, size_t argumentCount, AccessCheck &check)
      : code(code), argumentCount(argumentCount), check(check) {}

  bool read() {
    if (next() != kAccessVersion)
      return false;
    size_t nodes = below(code.size()), variables = below(kMaxAccessVariables + 1), accesses = below(code.size());
    for (size_t i = 0; good && i < nodes; ++i)
      readNode();
    for (size_t i = 0; good && i < variables; ++i)
      readVariable();
    good = good && setVariables();
    for (size_t i = 0; good && i < accesses; ++i)
      readAccess();
    return good && at == code.size();
  }

private:
  int64_t next() {
    good = good && at < code.size();
    return good ? code[at++] : 0;
  }
  /// Reads a number that must be at least 0 and less than a bound.
  size_t below(size_t bound) {
    int64_t number = next();
    good = good && number >= 0 && static_cast<size_t>(number) < bound;
    return good ? static_cast<size_t>(number) : 0;
  }

  void readNode() {
    Node node{};
    node.op = static_cast<AccessOp>(below(kAccessOps));
    node.width = static_cast<unsigned>(below(65));
    node.a = next(), node.b = next(), node.c = next();
    good = good && node.width > 0;
    int64_t limit = node.op == AccessOp::Argument ? static_cast<int64_t>(argumentCount)
                    : node.op == AccessOp::Grid   ? 3
                                                  : static_cast<int64_t>(kMaxAccessVariables);
    if (node.isLeaf() && node.op != AccessOp::Constant)
      good = good && node.a >= 0 && node.a < limit;
    for (unsigned i = 0; i < node.countOperands(); ++i)
      good = good && node.operand(i) < check.nodes.size();
    if (node.op == AccessOp::ZExt)
      good = good && node.b > 0 && node.b < 64;
    if (node.op == AccessOp::Argument)
      addOnce(check.numbers, static_cast<size_t>(node.a));
    check.nodes.push_back(node);
  }

  void readVariable() {
    Variable variable{};
    variable.kind = static_cast<VariableKind>(below(kVariableKinds));
    size_t limit = variable.kind == VariableKind::Lane      ? kMaxAccessRank
                   : variable.kind == VariableKind::Program ? 3
                                                            : SIZE_MAX;
    variable.dimension = below(limit);
    variable.count = below(check.nodes.size());
    check.variables.push_back(variable);
  }

  /// Computes the variables of each node. The number of values of a variable is a node before the variable's.
  bool setVariables() {
    for (size_t i = 0; i < check.nodes.size(); ++i) {
      Node &node = check.nodes[i];
      if (node.op == AccessOp::Variable) {
        auto number = static_cast<size_t>(node.a);
        if (number >= check.variables.size() || check.variables[number].count >= i)
          return false;
        node.variables = uint64_t(1) << number | check.nodes[check.variables[number].count].variables;
      }
      for (unsigned operand = 0; operand < node.countOperands(); ++operand)
        node.variables |= check.nodes[node.operand(operand)].variables;
      if (node.variables == 0)
        check.scalars.push_back(i);
    }
    return true;
  }

  void readAccess() {
    Access access{};
    access.kind = static_cast<AccessKind>(below(kAccessKinds));
    access.argument = addOnce(check.arguments, below(argumentCount));
    access.elementBytes = static_cast<int64_t>(below(9));
    access.rank = static_cast<int64_t>(below(kMaxAccessRank + 1));
    Formula formula{};
    formula.offset = below(check.nodes.size());
    size_t loops = below(kMaxAccessVariables + 1), conditions = below(check.nodes.size() + 1);
    for (size_t i = 0; good && i < loops; ++i)
      formula.loops.push_back(below(check.variables.size()));
    for (size_t i = 0; good && i < conditions; ++i)
      formula.conditions.push_back(below(check.nodes.size()));
    if (!good || !(good = access.elementBytes > 0))
      return;
    auto isSame = [&](const Formula &other) {
      return other.offset == formula.offset && other.loops == formula.loops && other.conditions == formula.conditions;
    };
    access.formula = static_cast<size_t>(std::find_if(check.formulas.begin(), check.formulas.end(), isSame) -
                                         check.formulas.begin());
    if (access.formula == check.formulas.size()) {
      plan(formula);
      check.formulas.push_back(std::move(formula));
    }
    check.accesses.push_back(access);
  }

  static size_t addOnce(std::vector<size_t> &list, size_t item) {
    auto found = std::find(list.begin(), list.end(), item);
    auto index = static_cast<size_t>(found - list.begin());
    if (found == list.end())
      list.push_back(item);
    return index;
  }

  //===-- Plans -------------------------------------------------------------------------------------------------===//

  /// Marks a node and its transitive operands.
  void mark(size_t root, std::vector<bool> &marked) const {
    std::vector<size_t> open{root};
    while (!open.empty()) {
      size_t next = open.back();
      open.pop_back();
      if (marked[next])
        continue;
      marked[next] = true;
      const Node &node = check.nodes[next];
      if (node.op == AccessOp::Variable)
        open.push_back(check.variables[static_cast<size_t>(node.a)].count);
      for (unsigned i = 0; i < node.countOperands(); ++i)
        open.push_back(node.operand(i));
    }
  }

  /// Returns the variables in which nodes of a formula are not linear.
  uint64_t nonlinear(const std::vector<size_t> &searched) const {
    uint64_t set = 0, before;
    do {
      before = set;
      for (size_t i : searched) {
        const Node &node = check.nodes[i];
        uint64_t parts[3] = {0, 0, 0};
        for (unsigned operand = 0; operand < node.countOperands(); ++operand)
          parts[operand] = check.nodes[node.operand(operand)].variables & ~set;
        bool isLinear = node.isLeaf() || node.op == AccessOp::Add || node.op == AccessOp::Sub ||
                        node.op == AccessOp::Fit || node.op == AccessOp::ZExt;
        if (node.op == AccessOp::Mul && parts[0] && parts[1])
          set |= __builtin_popcountll(parts[0]) < __builtin_popcountll(parts[1]) ? parts[0] : parts[1];
        else if (node.op == AccessOp::Shl)
          set |= parts[1];
        else if (!isLinear && node.op != AccessOp::Mul)
          set |= parts[0] | parts[1] | parts[2];
      }
    } while (set != before);
    return set;
  }

  void addGuide(const Node &condition, Formula &formula, std::vector<bool> &searched) const {
    auto a = static_cast<size_t>(condition.a), b = static_cast<size_t>(condition.b);
    if (condition.op == AccessOp::Less)
      formula.guides.push_back({a, b, 1});
    else if (condition.op == AccessOp::LessEqual)
      formula.guides.push_back({a, b, 0});
    else if (condition.op == AccessOp::Equal)
      formula.guides.insert(formula.guides.end(), {{a, b, 0}, {b, a, 0}});
    else
      return;
    mark(a, searched);
    mark(b, searched);
  }

  std::vector<size_t> listed(const std::vector<bool> &marked) const {
    std::vector<size_t> list;
    for (size_t i = 0; i < marked.size(); ++i)
      if (marked[i] && check.nodes[i].variables != 0)
        list.push_back(i);
    return list;
  }

  void plan(Formula &formula) const {
    std::vector<bool> all(check.nodes.size()), searched(check.nodes.size()), counting(check.nodes.size());
    mark(formula.offset, all);
    mark(formula.offset, searched);
    for (size_t condition : formula.conditions) {
      mark(condition, all);
      addGuide(check.nodes[condition], formula, searched);
    }
    uint64_t variables = 0;
    for (size_t loop : formula.loops) {
      size_t count = check.variables[loop].count;
      variables |= uint64_t(1) << loop | check.nodes[count].variables;
      mark(count, all);
      mark(count, searched);
      mark(count, counting);
    }
    for (size_t i = 0; i < all.size(); ++i) {
      const Node &node = check.nodes[i];
      variables |= all[i] ? node.variables : 0;
      if (all[i] && node.op == AccessOp::Argument)
        addOnce(formula.numbers, static_cast<size_t>(node.a));
    }
    formula.all = listed(all);
    const std::vector<size_t> list = listed(searched);
    uint64_t set = nonlinear(list);
    std::vector<size_t> lanes;
    for (size_t i = 0; i < check.variables.size(); ++i) {
      if (!(variables >> i & 1))
        continue;
      formula.variables.push_back(i);
      bool isSet = (set >> i & 1) || formula.free.size() == kMaxFreeVariables;
      bool isLane = check.variables[i].kind == VariableKind::Lane;
      (!isSet ? formula.free : isLane ? lanes : formula.set).push_back(i);
      formula.freeMask |= isSet ? 0 : uint64_t(1) << i;
    }
    // Lanes are last, because the largest remainder of a lane depends on the program.
    formula.set.insert(formula.set.end(), lanes.begin(), lanes.end());
    formula.following.resize(formula.set.size());
    for (size_t i : list)
      sort(i, counting, formula);
  }

  /// Adds a node to the list that is evaluated when its last variable is set.
  ///
  /// `counting` marks the nodes of the numbers of iterations.
  void sort(size_t number, const std::vector<bool> &counting, Formula &formula) const {
    const Node &node = check.nodes[number];
    if (node.variables & formula.freeMask) {
      formula.linear.push_back(number);
      return;
    }
    size_t last = 0;
    for (size_t i = 0; i < formula.set.size(); ++i)
      if (node.variables >> formula.set[i] & 1)
        last = i;
    formula.following[last].push_back(number);
    size_t variable = formula.set[last];
    bool isRemainder = node.op == AccessOp::RemS || node.op == AccessOp::RemU;
    bool isLane = check.variables[variable].kind == VariableKind::Lane;
    bool turns = isRemainder ? isLane : node.op == AccessOp::DivS && counting[number];
    if (turns && (check.nodes[node.operand(0)].variables >> variable & 1))
      formula.divisions.push_back({number, variable});
  }

  const std::vector<int64_t> &code;
  const size_t argumentCount;
  AccessCheck &check;
  size_t at = 0;
  bool good = true;
};

bool AccessCheck::readCode(const std::vector<int64_t> &code, size_t argumentCount) {
  return Reader(code, argumentCount, *this).read();
}
