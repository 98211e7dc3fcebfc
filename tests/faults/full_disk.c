/* full_disk.c: a disk that is full whenever the file named by KARTEJO_FULL_DISK exists.
 *
 * Preloaded into PostgreSQL where no small file system can be mounted.  Whatever would write to, or
 * extend, a regular file fails with ENOSPC; sockets, pipes and reading go on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_full(int fd) {
    const char *sign = getenv("KARTEJO_FULL_DISK");
    struct stat about;
    return sign && access(sign, F_OK) == 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

#define GUARD(result, name, parameters, arguments)                                     \
    result name parameters {                                                           \
        static result(*real) parameters;                                               \
        if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name);                          \
        if (is_full(fd)) {                                                             \
            errno = ENOSPC;                                                            \
            return -1;                                                                 \
        }                                                                              \
        return real arguments;                                                         \
    }

GUARD(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
GUARD(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
GUARD(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
GUARD(ssize_t, pwritev, (int fd, const struct iovec *v, int n, off_t at), (fd, v, n, at))
GUARD(ssize_t, pwritev64, (int fd, const struct iovec *v, int n, off64_t at), (fd, v, n, at))
GUARD(int, ftruncate, (int fd, off_t size), (fd, size))

/* These two return the error itself. */
int posix_fallocate(int fd, off_t from, off_t size) {
    static int (*real)(int, off_t, off_t);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "posix_fallocate");
    return is_full(fd) ? ENOSPC : real(fd, from, size);
}

int posix_fallocate64(int fd, off64_t from, off64_t size) {
    return posix_fallocate(fd, from, size);
}
