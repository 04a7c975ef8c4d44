//===- ThreadOwned.h - One object for each thread -----------------------------------------------------------------===//
//
// A thread_local variable with a destructor registers it on first use, and where there is no memory for that, the C
// library ends the process. Here the caller gets a null pointer.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_THREADOWNED_H
#define BLOCKDSL_RUNTIME_THREADOWNED_H

#include <new>
#include <pthread.h>

namespace blockdsl::runtime {

/// The calling thread's object of a type: made when the thread first needs it, destroyed when the thread ends.
template <typename T> class ThreadOwned {
public:
  /// Null where there is no memory for it.
  static T *get() {
    if (__builtin_expect(!own, false))
      own = make();
    return own;
  }

  /// The same if it has been made, else null. Safe in a signal's handler, on any thread.
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
