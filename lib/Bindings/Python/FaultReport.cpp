//===- FaultReport.cpp - Reports of faults in kernels -------------------------------------------------------------===//
//
// Runs in a signal handler on any thread, so it does not allocate or lock and only reads Python objects. They are
// alive, because the launch waits for all of its threads.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "FaultReport.h"

#include "LaunchDtypes.h"
#include "LaunchRequest.h"

#include "blockdsl/Runtime/RunningLaunch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace blockdsl::python;
using blockdsl::runtime::LaunchContext;

namespace {

struct Fault {
  int number;
  const char *name;
  /// Whether the signal's address is that of a memory access instead of an instruction.
  bool isOfAccess;
  struct sigaction before;
};
std::array<Fault, 4> faults{{{SIGSEGV, "segmentation fault", true, {}},
                             {SIGBUS, "bus error", true, {}},
                             {SIGFPE, "arithmetic error (as of an integer divided by zero)", false, {}},
                             {SIGILL, "illegal instruction", false, {}}}};

/// Largest number of listed arguments, which are those nearest to the address.
constexpr size_t kMaxArgumentsListed = 8;

/// Text in a fixed buffer. Text beyond its size is cut off.
class Text {
public:
  Text &operator<<(const char *text) { return append(text, std::strlen(text)); }
  Text &operator<<(uint64_t number) { return appendNumber(number, 10); }
  Text &hex(uint64_t number) { return (*this << "0x").appendNumber(number, 16); }
  Text &append(const char *text, size_t size) {
    size = std::min(size, sizeof(memory) - used);
    std::memcpy(memory + used, text, size);
    used += size;
    return *this;
  }
  /// Appends a Python str if it is ASCII. Encoding any other would allocate.
  Text &operator<<(PyObject *name) {
    if (!PyUnicode_IS_COMPACT_ASCII(name))
      return *this << "?";
    return append(static_cast<const char *>(PyUnicode_DATA(name)), static_cast<size_t>(PyUnicode_GET_LENGTH(name)));
  }
  void print() const {
    for (size_t offset = 0; offset < used;) {
      ssize_t written = write(STDERR_FILENO, memory + offset, used - offset);
      if (written <= 0)
        return;
      offset += static_cast<size_t>(written);
    }
  }

private:
  Text &appendNumber(uint64_t number, unsigned base) {
    char digits[20];
    size_t count = 0;
    do
      digits[count++] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0);
    std::reverse(digits, digits + count);
    return append(digits, count);
  }

  char memory[4096];
  size_t used = 0;
};

/// Returns the distance of an address to a tensor's bytes; 0 inside.
uint64_t distance(const Argument &argument, uint64_t address) {
  if (address < argument.begin)
    return argument.begin - address;
  return address < argument.end ? 0 : address - argument.end + 1;
}

void describeArgument(Text &text, const LaunchRequest &request, uint16_t index, const uint64_t *address) {
  const Argument &argument = request.arguments[index];
  auto dtype = (argument.attributes & attribute::kDtypeMask) >> attribute::kDtypeShift;
  text << "  argument '";
  if (index < kMaxParameters)
    text << request.state.parameters[index].name << "'";
  else
    text << "' (element " << uint64_t(index - kMaxParameters) << " of those in tuples)";
  if (argument.end == kAnywhere) {
    text << ": an address, ";
    text.hex(argument.value) << ", of memory whose extent is not known\n";
    return;
  }
  auto size = static_cast<uint64_t>(std::max<int64_t>(1, itemSize(argument)));
  text << ": spans " << (argument.end - argument.begin) / size << " elements of " << kDtypeNames[dtype] << ", ";
  text.hex(argument.begin) << " to ";
  text.hex(argument.end);
  if (!address)
    text << "\n";
  else if (*address >= argument.end)
    text << "; the address is " << *address - argument.end << " bytes behind its end\n";
  else if (*address < argument.begin)
    text << "; the address is " << argument.begin - *address << " bytes before its begin\n";
  else
    text << "; the address is " << *address - argument.begin << " bytes behind its begin\n";
}

void describe(Text &text, const Fault &fault, const LaunchRecord &launch, const siginfo_t &info) {
  const LaunchRequest &request = *launch.request;
  // The processor reports no address for accesses outside of any address space.
  auto address = reinterpret_cast<uint64_t>(info.si_addr);
  const bool isKnown = fault.isOfAccess && (info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR);
  text << "blockdsl: " << fault.name << " in kernel '" << launch.kernel << "' (" << launch.place << ")";
  if (isKnown)
    text.operator<<(", at address ").hex(address);
  text << "\n  grid (" << uint64_t(request.grid[0]) << ", " << uint64_t(request.grid[1]) << ", "
       << uint64_t(request.grid[2]) << ")\n";
  std::array<uint16_t, kMaxArgumentsListed> nearest;
  auto isNearer = [&](uint16_t a, uint16_t b) {
    return isKnown ? distance(request.arguments[a], address) < distance(request.arguments[b], address) : a < b;
  };
  auto *end = std::partial_sort_copy(request.tensors, request.tensors + request.tensorCount, nearest.begin(),
                                     nearest.end(), isNearer);
  for (auto *each = nearest.begin(); each != end; ++each)
    describeArgument(text, request, *each, isKnown ? &address : nullptr);
  if (request.tensorCount > kMaxArgumentsListed)
    text << "  and " << uint64_t(request.tensorCount - kMaxArgumentsListed) << " more\n";
  text << "  BLOCKDSL_INTERPRET=1 runs kernels as Python, where an access outside of all arguments is an error at its "
          "line\n";
}

/// Runs the earlier handler. If that is the default action, restores it: the failing instruction then runs again, and a
/// sent signal is sent again.
void handleAsBefore(const Fault &fault, siginfo_t *info, void *context) {
  if (fault.before.sa_flags & SA_SIGINFO)
    return fault.before.sa_sigaction(fault.number, info, context);
  if (fault.before.sa_handler != SIG_DFL && fault.before.sa_handler != SIG_IGN)
    return fault.before.sa_handler(fault.number);
  sigaction(fault.number, &fault.before, nullptr);
  if (info->si_code <= 0)
    raise(fault.number);
}

void handle(int number, siginfo_t *info, void *context) {
  int saved = errno;
  auto *fault = std::find_if(faults.begin(), faults.end(), [&](const Fault &each) { return each.number == number; });
  // A handler installed later, such as Python's faulthandler, may have raised the signal again.
  bool isOfThisThread = info->si_code > 0 || (info->si_code == SI_TKILL && info->si_pid == getpid());
  const LaunchContext *launch = isOfThisThread ? blockdsl::runtime::runningLaunch() : nullptr;
  // Only the first of several faults is reported.
  static std::atomic_flag isReported = ATOMIC_FLAG_INIT;
  if (launch && launch->record && !isReported.test_and_set()) {
    Text text;
    describe(text, *fault, *static_cast<const LaunchRecord *>(launch->record), *info);
    text.print();
  }
  errno = saved;
  handleAsBefore(*fault, info, context);
}

} // namespace

void blockdsl::python::reportFaults() {
  static bool areReported = false;
  if (std::exchange(areReported, true))
    return;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (Fault &fault : faults)
    sigaction(fault.number, &action, &fault.before);
}
