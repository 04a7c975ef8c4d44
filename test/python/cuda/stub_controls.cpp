//===- stub_controls.cpp - Controls of the stub driver for tests --------------------------------------------------===//
//
// Functions that no driver has: what there is, what fails, and what was called.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "stub_books.h"

using namespace stub;

STUB void stub_devices(int count) { books.devices = count; }
STUB void stub_quiet(int isQuiet) { books.isQuiet = isQuiet; }
STUB void stub_fatal() { books.isFatal = true; }
STUB void stub_pin(uint64_t address) { books.pinned.insert(address); }
STUB void stub_hold(int on) { holds = on; }
STUB int stub_held() { return isHeld; }
STUB int stub_modules() { return static_cast<int>(books.modules.size()); }
STUB int stub_pools() { return static_cast<int>(books.pools.size()); }
STUB int stub_allocations() { return static_cast<int>(books.allocations.size()); }
STUB uint64_t stub_current() { return number(current()); }
STUB int stub_capture_mode() { return static_cast<int>(captureMode); }

STUB void stub_enter(int device) { contexts.push_back(handle<Context>(kFirstContext + static_cast<uint64_t>(device))); }
STUB void stub_leave() { contexts.pop_back(); }

STUB void stub_capture(uint64_t stream, int isCapturing) {
  Lock lock(books.mutex);
  if (isCapturing)
    books.capturing.insert(handle<Stream>(stream));
  else
    books.capturing.erase(handle<Stream>(stream));
}

STUB void stub_fail(const char *call, Result result, int before, int times) {
  Lock lock(books.mutex);
  books.faults[call] = {result, before, times};
}

STUB void stub_forget_faults() {
  Lock lock(books.mutex);
  books.faults.clear();
}

/// The cubin that was loaded last.
STUB const char *stub_image(size_t *size) {
  *size = books.image.size();
  return books.image.data();
}

/// The calls since the last time, a line each.
STUB const char *stub_take() {
  Lock lock(books.mutex);
  books.taken.swap(books.log);
  books.log.clear();
  return books.taken.c_str();
}
