/* python_lock.h: which calls from Python keep the interpreter's lock.
 *
 * Read by the file that cffi writes, and by no other.  Around every call cffi lets go of the lock,
 * so that other threads run meanwhile, and takes care of errno: four times the work of ranking a
 * hand.  Functions that return within a microsecond, whatever they are given, keep the lock; and
 * no function of the core touches errno.
 */
#ifndef KARTEJO_PYTHON_LOCK_H
#define KARTEJO_PYTHON_LOCK_H

#include <string.h>

/* A compiler knows the answer: the name of a wrapper is a constant. */
static inline int kj_keeps_lock(const char *wrapper) {
    return strcmp(wrapper, "_cffi_f_kj_strength") == 0 ||
           strcmp(wrapper, "_cffi_f_kj_strength_ace_high") == 0 ||
           strcmp(wrapper, "_cffi_f_kj_category") == 0 ||
           strcmp(wrapper, "_cffi_f_kj_ranks") == 0 ||
           strcmp(wrapper, "_cffi_f_kj_best_cards") == 0 ||
           strcmp(wrapper, "_cffi_f_kj_pick") == 0 ||
           strcmp(wrapper, "_cffi_f_kj_shuffle") == 0;
}

#undef Py_BEGIN_ALLOW_THREADS
#undef Py_END_ALLOW_THREADS
#define Py_BEGIN_ALLOW_THREADS                                                          \
    {                                                                                   \
        PyThreadState *unlocked = kj_keeps_lock(__func__) ? NULL : PyEval_SaveThread();
#define Py_END_ALLOW_THREADS                                                            \
        if (unlocked != NULL) {                                                         \
            PyEval_RestoreThread(unlocked);                                             \
        }                                                                               \
    }

#undef _cffi_restore_errno
#undef _cffi_save_errno
#define _cffi_restore_errno() (void)0
#define _cffi_save_errno() (void)0

#endif
