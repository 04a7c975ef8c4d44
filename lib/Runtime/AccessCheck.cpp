//===- AccessCheck.cpp - Search for out-of-bounds accesses of a launch --------------------------------------------===//

#include "AccessArithmetic.h"
#include "AccessNodes.h"

#include <algorithm>
#include <cstdlib>

using namespace blockdsl::runtime;

namespace {

/// Wide enough for sums of 64-bit products.
__extension__ using Wide = __int128;

/// Divides by the 64-bit instruction if possible, which is ten times as fast.
Wide quotient(Wide dividend, Wide divisor) {
  bool isShort = dividend == static_cast<int64_t>(dividend) && divisor == static_cast<int64_t>(divisor);
  return isShort ? static_cast<int64_t>(dividend) / static_cast<int64_t>(divisor) : dividend / divisor;
}

} // namespace

/// State of the search. It is reused, because initializing it for each launch would take too long.
class AccessCheck::Search {
public:
  explicit Search(AccessCheck &check) : check(check) {}

  void begin(const uint64_t *ofSlots, const int64_t *ofGrid) {
    slots = ofSlots;
    grid = ofGrid;
    for (size_t node : check.scalars)
      evaluate(node);
  }

  /// Finds accesses through one formula outside of the extents.
  void find(size_t number, const std::vector<AccessExtent> &extents, std::vector<AccessOutside> &outside) {
    formula = &check.formulas[number];
    freeCount = formula->free.size();
    outermost[0] = outermost[1] = 0;
    isFound[0] = isFound[1] = false;
    if (formula->set.size() <= kMaxCombined)
      combine(0);
    else
      for (bool last : {false, true})
        setAll(last);
    for (size_t i = 0; i < check.accesses.size(); ++i) {
      const Access &access = check.accesses[i];
      if (access.formula != number)
        continue;
      const AccessExtent &extent = extents[access.argument];
      for (int end : {0, 1}) {
        if (!isFound[end] || isInside(outermost[end], access, extent))
          continue;
        std::copy(points[end], points[end] + check.variables.size(), variables);
        int64_t offset;
        if (isMade(offset) && !isInside(offset, access, extent))
          outside.push_back(described(i, offset));
      }
    }
  }

private:
  static bool isInside(int64_t offset, const Access &access, const AccessExtent &extent) {
    int64_t end;
    return offset >= extent.below && !__builtin_add_overflow(offset, access.elementBytes, &end) && end <= extent.above;
  }

  //===-- Exact evaluation --------------------------------------------------------------------------------------===//

  void evaluate(size_t number) {
    const Node &node = check.nodes[number];
    int64_t result = 0;
    bool isGood = true;
    if (node.op == AccessOp::Constant)
      result = node.a;
    else if (node.op == AccessOp::Argument)
      result = signExtended(slots[node.a], node.width);
    else if (node.op == AccessOp::Grid)
      result = grid[node.a];
    else if (node.op == AccessOp::Variable)
      result = variables[node.a];
    else if (node.op == AccessOp::Select)
      isGood = select(node, result);
    else if (node.countOperands() == 1)
      isGood = valid(node.a) && compute(node.op, node.width, value(node.a), node.b, result);
    else
      isGood = valid(node.a) && valid(node.b) && compute(node.op, node.width, value(node.a), value(node.b), result);
    check.values[number] = result;
    check.isValid[number] = isGood && fits(result, node.width);
  }

  bool select(const Node &node, int64_t &result) const {
    if (!valid(node.a))
      return false;
    int64_t chosen = value(node.a) == 1 ? node.b : node.c;
    result = value(chosen);
    return valid(chosen);
  }

  int64_t value(int64_t node) const { return check.values[static_cast<size_t>(node)]; }
  bool valid(int64_t node) const { return check.isValid[static_cast<size_t>(node)]; }

  /// Returns true if the kernel makes the access for the current values of the variables, and sets its offset.
  bool isMade(int64_t &offset) {
    for (size_t node : formula->all)
      evaluate(node);
    for (size_t variable : formula->variables) {
      auto count = static_cast<int64_t>(check.variables[variable].count);
      if (!valid(count) || variables[variable] < 0 || variables[variable] >= value(count))
        return false;
    }
    for (size_t condition : formula->conditions)
      if (!valid(static_cast<int64_t>(condition)) || check.values[condition] != 1)
        return false;
    offset = check.values[formula->offset];
    return check.isValid[formula->offset];
  }

  AccessOutside described(size_t access, int64_t offset) const {
    AccessOutside found{access, offset, {0, 0, 0}, {}};
    for (size_t variable : formula->variables) {
      const Variable &each = check.variables[variable];
      if (each.kind == VariableKind::Program)
        found.program[each.dimension] = variables[variable];
      else if (each.kind == VariableKind::Lane)
        found.lane[each.dimension] = variables[variable];
    }
    return found;
  }

  //===-- Enumerated variables ----------------------------------------------------------------------------------===//

  /// Sets a variable and evaluates the nodes that are then known.
  void set(size_t which, int64_t to) {
    variables[formula->set[which]] = to;
    for (size_t node : formula->following[which])
      evaluate(node);
  }

  /// Returns the number of values of a variable for the current values of earlier variables; 0 if unknown.
  int64_t countOf(size_t which) const {
    size_t count = check.variables[formula->set[which]].count;
    bool isKnown = !(check.nodes[count].variables & formula->freeMask) && check.isValid[count];
    return isKnown ? check.values[count] : 0;
  }

  /// Tries the first, the last and the turning points of each enumerated variable, from the `which`-th on.
  void combine(size_t which) {
    if (which == formula->set.size())
      return solve();
    int64_t count = countOf(which);
    if (count <= 0)
      return;
    int64_t tried[2 + kMaxTurningPoints] = {0, count - 1};
    size_t number = count == 1 ? 1 : 2;
    if (count > 2)
      addTurningPoints(which, count, tried, number);
    for (size_t i = 0; i < number; ++i) {
      set(which, tried[i]);
      combine(which + 1);
    }
  }

  void setAll(bool last) {
    for (size_t which = 0; which < formula->set.size(); ++which) {
      int64_t count = countOf(which);
      if (count <= 0)
        return;
      set(which, last ? count - 1 : 0);
    }
    solve();
  }

  /// Adds the last value of a variable before a division's quotient changes for the first time: there the remainder is
  /// largest, or a program is the last one that makes the last iteration of a loop over the grid.
  void addTurningPoints(size_t which, int64_t count, int64_t *tried, size_t &number) {
    for (const Formula::Division &each : formula->divisions) {
      if (each.variable != formula->set[which])
        continue;
      const Node &node = check.nodes[each.node];
      int64_t dividends[2], step;
      bool isKnown = true;
      for (int i : {0, 1}) {
        set(which, i);
        isKnown = isKnown && valid(node.a) && valid(node.b);
        dividends[i] = value(node.a);
      }
      int64_t divisor = value(node.b);
      if (!isKnown || divisor <= 0 || dividends[0] < 0 || __builtin_sub_overflow(dividends[1], dividends[0], &step) ||
          step == 0 || step == INT64_MIN)
        continue;
      int64_t remainder = dividends[0] % divisor;
      int64_t turning = step > 0 ? (divisor - 1 - remainder) / step : remainder / -step;
      if (turning >= count - 1 || std::find(tried, tried + number, turning) != tried + number)
        continue;
      tried[number++] = turning;
      if (number == 2 + kMaxTurningPoints)
        return;
    }
  }

  //===-- Free variables ----------------------------------------------------------------------------------------===//

  bool isFree(int64_t node) const { return check.nodes[static_cast<size_t>(node)].variables & formula->freeMask; }

  /// Sets `result` to a node as an affine function of the free variables.
  void setAffine(Affine &result, int64_t number) const {
    const Affine *free = isFree(number) ? &check.affine[static_cast<size_t>(number)] : nullptr;
    result.isValid = free ? free->isValid : valid(number);
    result.constant = free ? free->constant : value(number);
    for (size_t i = 0; i < freeCount; ++i)
      result.factors[i] = free ? free->factors[i] : 0;
  }

  void evaluateAffine(size_t number) {
    const Node &node = check.nodes[number];
    Affine &result = check.affine[number];
    if (node.op == AccessOp::Variable) {
      result.isValid = true;
      result.constant = 0;
      for (size_t i = 0; i < freeCount; ++i)
        result.factors[i] = formula->free[i] == static_cast<size_t>(node.a);
      return;
    }
    if (node.op == AccessOp::Mul || node.op == AccessOp::Shl)
      return scale(result, node);
    setAffine(result, node.a);
    if (node.countOperands() == 1)
      return;
    Affine other;
    setAffine(other, node.b);
    bool adds = node.op == AccessOp::Add, subtracts = node.op == AccessOp::Sub;
    bool isGood = result.isValid && other.isValid && (adds || subtracts);
    auto combine = [&](int64_t &left, int64_t right) {
      isGood =
          isGood && !(adds ? __builtin_add_overflow(left, right, &left) : __builtin_sub_overflow(left, right, &left));
    };
    combine(result.constant, other.constant);
    for (size_t i = 0; i < freeCount; ++i)
      combine(result.factors[i], other.factors[i]);
    result.isValid = isGood;
  }

  /// Multiplies by a node without free variables.
  void scale(Affine &result, const Node &node) {
    bool isFirst = isFree(node.a);
    int64_t by = isFirst ? node.b : node.a, factor = value(by);
    setAffine(result, isFirst ? node.a : node.b);
    bool isGood = result.isValid && valid(by);
    if (node.op == AccessOp::Shl) {
      isGood = isGood && factor >= 0 && factor < 63;
      factor = isGood ? int64_t(1) << factor : 0;
    }
    isGood = isGood && !__builtin_mul_overflow(result.constant, factor, &result.constant);
    for (size_t i = 0; i < freeCount; ++i)
      isGood = isGood && !__builtin_mul_overflow(result.factors[i], factor, &result.factors[i]);
    result.isValid = isGood;
  }

  /// A condition that an affine function is not negative. `slack` is its value with each free variable at its best end.
  struct Condition {
    Wide slack;
    int64_t factors[kMaxFreeVariables];
  };

  bool addCondition(const Affine &larger, const Affine &smaller, int64_t distance) {
    if (!larger.isValid || !smaller.isValid || conditionCount == kMaxConditions)
      return false;
    Condition &condition = conditions[conditionCount++];
    condition.slack = Wide(larger.constant) - smaller.constant - distance;
    for (size_t i = 0; i < freeCount; ++i) {
      if (__builtin_sub_overflow(larger.factors[i], smaller.factors[i], &condition.factors[i]))
        return false;
      if (condition.factors[i] > 0)
        condition.slack += Wide(condition.factors[i]) * last[i];
    }
    return condition.slack >= 0;
  }

  bool addConditions() {
    conditionCount = 0;
    Affine larger, smaller;
    for (const Formula::Guide &guide : formula->guides) {
      setAffine(larger, static_cast<int64_t>(guide.larger));
      setAffine(smaller, static_cast<int64_t>(guide.smaller));
      if (!addCondition(larger, smaller, guide.distance))
        return false;
    }
    for (size_t i = 0; i < freeCount; ++i) {
      auto count = static_cast<int64_t>(check.variables[formula->free[i]].count);
      if (!isFree(count))
        continue;
      setAffine(larger, count);
      smaller = {true, 0, {}};
      smaller.factors[i] = 1;
      if (!addCondition(larger, smaller, 1))
        return false;
    }
    return true;
  }

  /// Computes the last value of each free variable. If it depends on other free variables, adds a condition.
  bool setRanges() {
    Affine count;
    for (size_t i = 0; i < freeCount; ++i) {
      setAffine(count, static_cast<int64_t>(check.variables[formula->free[i]].count));
      Wide highest = count.constant;
      // It can only depend on earlier variables.
      for (size_t j = 0; j < i; ++j)
        if (count.factors[j] > 0)
          highest += Wide(count.factors[j]) * last[j];
      if (!count.isValid || highest <= 0 || highest > INT64_MAX)
        return false;
      last[i] = static_cast<int64_t>(highest) - 1;
    }
    return true;
  }

  /// Finds the extreme offsets for the current values of the enumerated variables.
  void solve() {
    for (size_t node : formula->linear)
      evaluateAffine(node);
    if (!setRanges() || !addConditions())
      return;
    Affine offset;
    setAffine(offset, static_cast<int64_t>(formula->offset));
    if (!offset.isValid)
      return;
    sortBy(offset);
    Wide slacks[kMaxConditions];
    for (size_t i = 0; i < conditionCount; ++i)
      slacks[i] = conditions[i].slack;
    go(0, offset);
    for (size_t i = 0; i < conditionCount; ++i)
      conditions[i].slack = slacks[i];
    go(1, offset);
  }

  /// Sorts the free variables by their weight in the offset.
  void sortBy(const Affine &offset) {
    auto weight = [&](size_t i) { return std::llabs(offset.factors[i]); };
    for (size_t i = 0; i < freeCount; ++i) {
      size_t at = i;
      for (; at > 0 && weight(order[at - 1]) < weight(i); --at)
        order[at] = order[at - 1];
      order[at] = i;
    }
  }

  /// Moves to the lowest (0) or the highest (1) offset, and keeps the point if it is the most extreme so far.
  void go(int end, const Affine &offset) {
    int64_t point[kMaxFreeVariables];
    Wide reached = offset.constant;
    for (size_t step = 0; step < freeCount; ++step) {
      size_t i = order[step];
      Wide low = 0, high = last[i];
      for (size_t j = 0; j < conditionCount; ++j) {
        const Condition &each = conditions[j];
        if (each.factors[i] > 0)
          low = std::max<Wide>(low, last[i] - quotient(each.slack, each.factors[i]));
        else if (each.factors[i] < 0)
          high = std::min<Wide>(high, quotient(each.slack, -Wide(each.factors[i])));
      }
      if (low > high)
        return;
      point[i] = static_cast<int64_t>((offset.factors[i] > 0) == (end == 1) && offset.factors[i] != 0 ? high : low);
      reached += Wide(offset.factors[i]) * point[i];
      for (size_t j = 0; j < conditionCount; ++j) {
        Wide factor = conditions[j].factors[i];
        conditions[j].slack -= factor > 0 ? factor * (last[i] - point[i]) : -factor * point[i];
      }
    }
    if (reached > INT64_MAX || reached < INT64_MIN)
      return;
    auto found = static_cast<int64_t>(reached);
    if (isFound[end] && (end == 1 ? found <= outermost[1] : found >= outermost[0]))
      return;
    isFound[end] = true;
    outermost[end] = found;
    for (size_t i = 0; i < freeCount; ++i)
      variables[formula->free[i]] = point[i];
    std::copy(variables, variables + check.variables.size(), points[end]);
  }

  static constexpr size_t kMaxConditions = 24;

  AccessCheck &check;
  const uint64_t *slots = nullptr;
  const int64_t *grid = nullptr;
  const Formula *formula = nullptr;
  size_t freeCount = 0, conditionCount = 0;
  int64_t variables[kMaxAccessVariables] = {};
  int64_t last[kMaxFreeVariables] = {};
  size_t order[kMaxFreeVariables] = {};
  Condition conditions[kMaxConditions];
  /// The lowest and the highest offset so far, and the values of all variables there.
  bool isFound[2] = {};
  int64_t outermost[2] = {};
  int64_t points[2][kMaxAccessVariables] = {};
};

AccessCheck::AccessCheck() = default;
AccessCheck::~AccessCheck() = default;

std::unique_ptr<AccessCheck> AccessCheck::read(const std::vector<int64_t> &code, size_t argumentCount) {
  std::unique_ptr<AccessCheck> check(new AccessCheck());
  if (!check->readCode(code, argumentCount))
    return nullptr;
  check->values.resize(check->nodes.size());
  check->isValid.resize(check->nodes.size());
  check->affine.resize(check->nodes.size());
  check->search = std::make_unique<Search>(*check);
  return check;
}

void AccessCheck::find(const uint64_t *slots, const int64_t *grid, const std::vector<AccessExtent> &extents,
                       std::vector<AccessOutside> &outside) {
  search->begin(slots, grid);
  for (size_t formula = 0; formula < formulas.size(); ++formula)
    search->find(formula, extents, outside);
}
