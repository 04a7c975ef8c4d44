// Loaded before all other libraries: one allocation, or one start of a thread, fails.
//
// Only calls through the dynamic linker are seen; the C library's own calls of malloc are, its calls of mmap are not.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_long left;

/// Has the call fail that comes after `calls` others; none where `calls` is negative. Returns how many calls there were
/// still to be when it was last set, zero if the one that was to fail has come.
long fail_after(long calls) { return atomic_exchange(&left, calls + 1); }

static int fails(void) {
  long now = atomic_load(&left);
  while (now > 0)
    if (atomic_compare_exchange_weak(&left, &now, now - 1)) {
      if (now == 1)
        errno = ENOMEM;
      return now == 1;
    }
  return 0;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (fails())
    return ENOMEM;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  return fails() ? MAP_FAILED : (void *)syscall(SYS_mmap, at, size, protection, flags, file, offset);
}

static atomic_int refuses_threads;

/// Has each start of a thread fail from now on, or no longer.
void refuse_threads(int yes) { atomic_store(&refuses_threads, yes); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  int (*start)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
  return atomic_load(&refuses_threads) || fails() ? EAGAIN : start(thread, attributes, run, argument);
}
