//===- LastWords.cpp - What is said when a compilation ends the process -*- C++ -*-===//
// LLVM asserts, and an assertion or a wrong access ends the process; what it cannot compile, it exits for. Then at
// least the kernel that was compiled is named, with calls that are allowed in a signal's handler; whoever handled the
// signal before, Python's faulthandler among them, handles it afterwards. No signal's handler is installed while
// nothing is compiled, and an exit is silent then.
//===----------------------------------------------------------------------===//
#include "Bindings.h"
#include "InterpreterLock.h"
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
constexpr size_t kMostThreads = 16, kMostBytes = 1024, kStackBytes = 1 << 16;

/// What a thread wants said.
struct Words {
  std::atomic<pid_t> thread{0};
  char text[kMostBytes];
};

std::array<Words, kMostThreads> allWords;
std::array<struct sigaction, kSignals.size()> before;
std::mutex installing;
int speakers = 0;

pid_t thisThread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

/// What this thread wants said, if it is compiling.
void say() {
  pid_t thread = thisThread();
  for (Words &words : allWords)
    if (words.thread.load() == thread && write(STDERR_FILENO, words.text, std::strlen(words.text)) < 0)
      break;
}

void speak(int number, siginfo_t *info, void *) {
  int saved = errno;
  say();
  for (size_t i = 0; i < kSignals.size(); ++i)
    if (kSignals[i] == number)
      sigaction(number, &before[i], nullptr);
  // An instruction that failed is run again, and fails for the earlier handler. What was sent is sent again.
  if (info->si_code <= 0)
    raise(number);
  errno = saved;
}

void install() {
  struct sigaction action{};
  action.sa_sigaction = speak;
  // On a stack of its own, if the thread has one: it may be the thread's that was exhausted.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i)
    sigaction(kSignals[i], &action, &before[i]);
}

/// Leaves handlers alone that were set meanwhile.
void uninstall() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now;
    sigaction(kSignals[i], nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == speak)
      sigaction(kSignals[i], &before[i], nullptr);
  }
}

/// A stack for handlers, where the thread has none.
class SignalStack {
public:
  SignalStack() : memory(new char[kStackBytes]) {
    stack_t own{}, found{};
    own.ss_sp = memory.get();
    own.ss_size = kStackBytes;
    isSet = sigaltstack(nullptr, &found) == 0 && (found.ss_flags & SS_DISABLE) && sigaltstack(&own, nullptr) == 0;
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

/// Calls a function; `text` is said if the process ends in it on this thread.
nb::object callWithLastWords(const std::string &text, nb::callable function) {
  // LLVM exits on its own thread, this one, and an exit's functions are called by the thread that exits.
  [[maybe_unused]] static const int atExit = std::atexit(say);
  SignalStack stack;
  Words *words = nullptr;
  for (Words &free : allWords) {
    pid_t nobody = 0;
    // Negative while the text is written.
    if (!words && free.thread.compare_exchange_strong(nobody, -1))
      words = &free;
  }
  if (!words)
    return function();
  size_t size = std::min(text.size(), kMostBytes - 1);
  std::memcpy(words->text, text.data(), size);
  words->text[size] = 0;
  words->thread.store(thisThread());
  {
    std::lock_guard<std::mutex> lock(installing);
    if (speakers++ == 0)
      install();
  }
  PyObject *result = blockdsl::stayingAlive([&] { return PyObject_CallNoArgs(function.ptr()); });
  {
    std::lock_guard<std::mutex> lock(installing);
    if (--speakers == 0)
      uninstall();
  }
  words->thread.store(0);
  if (!result)
    throw nb::python_error();
  return nb::steal(result);
}

} // namespace

namespace blockdsl {

void bindLastWords(nb::module_ &module) {
  module.def("call_with_last_words", callWithLastWords, nb::arg("text"), nb::arg("function"));
}

} // namespace blockdsl
