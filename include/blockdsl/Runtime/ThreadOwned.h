//===- ThreadOwned.h - One object for each thread -----------------------------------------------------------------===//
//
// The first use of a thread_local variable with a destructor allocates, and the C library ends the process if that
// fails. ThreadOwned returns a null pointer instead.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_THREADOWNED_H
#define BLOCKDSL_RUNTIME_THREADOWNED_H

#include <new>
#include <pthread.h>

namespace blockdsl::runtime {

/// An object of the calling thread, created at its first use and destroyed when the thread ends.
template <typename T> class ThreadOwned {
public:
  /// Returns the object, or null if there is no memory for it.
  static T *get() {
    if (__builtin_expect(!own, false))
      own = make();
    return own;
  }

  /// Returns the object if it exists, else null. Async-signal-safe.
  static T *find() { return key.isMade ? static_cast<T *>(pthread_getspecific(key.key)) : nullptr; }

private:
  struct Key {
    Key() : isMade(pthread_key_create(&key, destroy) == 0) {}
    pthread_key_t key;
    const bool isMade;
  };

  static T *make() {
    T *made = key.isMade ? new (std::nothrow) T : nullptr;
    if (made && pthread_setspecific(key.key, made) != 0) {
      delete made;
      return nullptr;
    }
    return made;
  }

  static void destroy(void *object) {
    own = nullptr;
    delete static_cast<T *>(object);
  }

  inline static thread_local T *own = nullptr;
  inline static const Key key;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_THREADOWNED_H
