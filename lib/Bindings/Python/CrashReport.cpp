//===- CrashReport.cpp - Report of compilations that end the process -*- C++ -*-===//
// A failed assertion or a fault in LLVM ends the process, and LLVM exits for code that it cannot compile. Before that,
// the kernel being compiled is named on standard error, by async-signal-safe calls only. Earlier signal handlers, such
// as Python's faulthandler, run afterwards. The handlers are installed only while something is compiled.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "GIL.h"
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

namespace nb = nanobind;

namespace {

constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr size_t kMaxThreads = 16, kMaxBytes = 1024, kStackBytes = 1 << 16;

/// The report of one compiling thread.
struct Report {
  std::atomic<pid_t> thread{0};
  char text[kMaxBytes];
};

std::array<Report, kMaxThreads> reports;
std::array<struct sigaction, kSignals.size()> before;
std::mutex installing;
int compilations = 0;

pid_t thisThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// Writes the report of this thread, if it compiles.
void writeReport() {
  pid_t thread = thisThread();
  for (Report &report : reports)
    if (report.thread.load() == thread && write(STDERR_FILENO, report.text, std::strlen(report.text)) < 0)
      break;
}

void handleSignal(int number, siginfo_t *info, void *) {
  int saved = errno;
  writeReport();
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == number)
      sigaction(number, &before[i], nullptr);
  // A failing instruction runs again and fails with the earlier handler. A sent signal is sent again.
  if (info->si_code <= 0)
    raise(number);
  errno = saved;
}

void install() {
  struct sigaction action{};
  action.sa_sigaction = handleSignal;
  // On the thread's alternate stack, because its stack may be exhausted.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

/// Restores the earlier handlers of signals whose handlers have not been changed since.
void uninstall() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now;
    sigaction(kSignals[i], nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handleSignal)
      sigaction(kSignals[i], &before[i], nullptr);
  }
}

/// An alternate signal stack for a thread that has none.
class SignalStack {
public:
  SignalStack() : memory(new char[kStackBytes]) {
    stack_t stack{}, existing{};
    stack.ss_sp = memory.get();
    stack.ss_size = kStackBytes;
    isSet =
        sigaltstack(nullptr, &existing) == 0 && (existing.ss_flags & SS_DISABLE) && sigaltstack(&stack, nullptr) == 0;
  }
  ~SignalStack() {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (isSet)
      sigaltstack(&none, nullptr);
  }

private:
  std::unique_ptr<char[]> memory;
  bool isSet;
};

/// Calls a function. If the process ends in it on this thread, `text` is written to standard error.
nb::object callWithCrashReport(const std::string &text, nb::callable function) {
  // LLVM calls exit on the compiling thread, and the functions of atexit run on the thread that exits.
  [[maybe_unused]] static const int atExit = std::atexit(writeReport);
  SignalStack stack;
  Report *report = nullptr;
  for (Report &free : reports) {
    pid_t none = 0;
    // -1 until the text is complete.
    if (!report && free.thread.compare_exchange_strong(none, -1))
      report = &free;
  }
  if (!report)
    return function();
  size_t size = std::min(text.size(), kMaxBytes - 1);
  std::memcpy(report->text, text.data(), size);
  report->text[size] = 0;
  report->thread.store(thisThread());
  {
    std::lock_guard<std::mutex> lock(installing);
    if (compilations++ == 0)
      install();
  }
  PyObject *result = blockdsl::callPython([&] { return PyObject_CallNoArgs(function.ptr()); });
  {
    std::lock_guard<std::mutex> lock(installing);
    if (--compilations == 0)
      uninstall();
  }
  report->thread.store(0);
  if (!result)
    throw nb::python_error();
  return nb::steal(result);
}

} // namespace

namespace blockdsl {

void bindCrashReport(nb::module_ &module) {
  module.def("call_with_crash_report", callWithCrashReport, nb::arg("text"), nb::arg("function"));
}

} // namespace blockdsl
