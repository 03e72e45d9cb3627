// Loaded before libc into a process whose disk is to fail. It writes down, in one log, every change of the files below a
// directory and every sync, so that disk.py can say what a disk would have had at any moment. It also makes calls fail when
// the control file says so. What the operating system itself does stays as it is, but for syncs, which cost nothing here.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, TRUNCATE, CREATE, UNLINK, RENAME, LINK, SYNC_BEGIN, SYNC_END };

// Before each record of the log; the names and the data follow.
struct record {
    uint32_t kind, name_bytes;
    uint64_t offset, number, data_bytes;
};

// What fails. Written by the test, in memory that both share.
struct control {
    _Atomic uint32_t calls; // Bits: 1 writes, 2 syncs, 4 reads.
    _Atomic uint32_t error;
    _Atomic int64_t after; // As many calls succeed first.
    _Atomic uint64_t failed; // The number of calls that failed.
};
enum { WRITES = 1, SYNCS = 2, READS = 4 };

static char directory[PATH_MAX];
static size_t directory_bytes;
static int log_descriptor = -1;
static struct control *control;
static _Atomic uint64_t last_number;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_DIRECTORY"), *log = getenv("FAULTS_LOG"), *shared = getenv("FAULTS_CONTROL");
    if (!path || !log || !shared) return;
    directory_bytes = strlen(path);
    if (directory_bytes >= sizeof directory) abort();
    memcpy(directory, path, directory_bytes + 1);
    log_descriptor = NEXT(open)(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    int file = NEXT(open)(shared, O_RDWR | O_CLOEXEC);
    if (log_descriptor < 0 || file < 0) abort();
    control = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (control == MAP_FAILED) abort();
    NEXT(close)(file);
}

// A record is one write to the end of the log, so those of several threads and processes do not mix.
static void record(enum kind kind, const char *name, const char *other, uint64_t offset, uint64_t number,
                   const struct iovec *data, int count) {
    struct iovec parts[IOV_MAX];
    char names[2 * PATH_MAX + 2];
    int bytes = snprintf(names, sizeof names, "%s%c%s", name, 0, other ? other : "") + 1;
    uint64_t data_bytes = 0;
    if (count > IOV_MAX - 2) abort();
    for (int part = 0; part < count; part++) data_bytes += data[part].iov_len;
    struct record head = {kind, bytes, offset, number, data_bytes};
    parts[0] = (struct iovec){&head, sizeof head};
    parts[1] = (struct iovec){names, bytes};
    if (count) memcpy(parts + 2, data, count * sizeof *data);
    int error = errno;
    ssize_t length = sizeof head + bytes + data_bytes;
    if (NEXT(writev)(log_descriptor, parts, count + 2) != length) abort(); // Otherwise the log would be wrong.
    errno = error;
}

static int is_watched(const char *path) {
    if (log_descriptor < 0 || strncmp(path, directory, directory_bytes) || path[directory_bytes] != '/') return 0;
    // The index of a write-ahead log is memory of processes, which the first one makes again.
    size_t bytes = strlen(path);
    return bytes < 4 || strcmp(path + bytes - 4, "-shm");
}

static int name_of(int file, char *path) {
    char link[64];
    if (log_descriptor < 0 || file < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    int error = errno;
    ssize_t bytes = readlink(link, path, PATH_MAX - 1);
    errno = error;
    if (bytes <= 0) return 0;
    path[bytes] = 0;
    return strcmp(path, directory) == 0 || is_watched(path);
}

static int fails(uint32_t calls) {
    if (!(atomic_load(&control->calls) & calls) || atomic_fetch_sub(&control->after, 1) > 0) return 0;
    atomic_fetch_add(&control->failed, 1);
    errno = atomic_load(&control->error);
    return 1;
}

static void record_write(int file, const char *path, off_t offset, const struct iovec *data, int count) {
    if (offset < 0) {
        struct stat status;
        if (fcntl(file, F_GETFL) & O_APPEND) offset = fstat(file, &status) ? 0 : status.st_size;
        else offset = lseek(file, 0, SEEK_CUR);
    }
    // Before the write: what others see of it can be in the log already.
    if (offset >= 0) record(WRITE, path, NULL, offset, 0, data, count);
}

#define WRITE_CALL(file, offset, data, count, call)                  \
    char path[PATH_MAX];                                             \
    if (name_of(file, path)) {                                       \
        if (fails(WRITES)) return -1;                                \
        record_write(file, path, offset, data, count);               \
    }                                                                \
    return call

ssize_t write(int file, const void *bytes, size_t count) {
    struct iovec data = {(void *)bytes, count};
    WRITE_CALL(file, -1, &data, 1, NEXT(write)(file, bytes, count));
}

ssize_t writev(int file, const struct iovec *data, int count) {
    WRITE_CALL(file, -1, data, count, NEXT(writev)(file, data, count));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    struct iovec data = {(void *)bytes, count};
    WRITE_CALL(file, offset, &data, 1, NEXT(pwrite)(file, bytes, count, offset));
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return pwrite(file, bytes, count, offset); }

#define READ_CALL(file, call)                                        \
    char path[PATH_MAX];                                             \
    if (control && (atomic_load(&control->calls) & READS) && name_of(file, path) && fails(READS)) return -1; \
    return call

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
    READ_CALL(file, NEXT(pread)(file, bytes, count, offset));
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) { return pread(file, bytes, count, offset); }

int ftruncate(int file, off_t length) {
    char path[PATH_MAX];
    if (name_of(file, path)) {
        if (fails(WRITES)) return -1;
        record(TRUNCATE, path, NULL, length, 0, NULL, 0);
    }
    return NEXT(ftruncate)(file, length);
}

int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

static int sync_file(int file, int (*call)(int)) {
    char path[PATH_MAX];
    if (!name_of(file, path)) return call(file);
    uint64_t number = (uint64_t)getpid() << 32 | (atomic_fetch_add(&last_number, 1) + 1);
    record(SYNC_BEGIN, path, NULL, 0, number, NULL, 0);
    if (fails(SYNCS)) return -1; // Without an end: nobody knows what the disk has.
    record(SYNC_END, path, NULL, 0, number, NULL, 0);
    return 0;
}

int fsync(int file) { return sync_file(file, NEXT(fsync)); }
int fdatasync(int file) { return sync_file(file, NEXT(fdatasync)); }

// The name of a file that may not exist, with its directory as the kernel knows it.
static int name_at(int folder, const char *name, char *path) {
    char real[PATH_MAX], whole[PATH_MAX];
    if (log_descriptor < 0) return 0;
    if (name[0] == '/' || folder == AT_FDCWD) {
        if (snprintf(whole, sizeof whole, "%s%s", strchr(name, '/') ? "" : "./", name) >= (int)sizeof whole) return 0;
    } else {
        if (!name_of(folder, real)) return 0;
        if (snprintf(whole, sizeof whole, "%s/%s", real, name) >= (int)sizeof whole) return 0;
    }
    char *last = strrchr(whole, '/');
    int error = errno;
    if (!last || last == whole) return 0;
    *last = 0;
    int exists = realpath(whole, real) != NULL;
    errno = error;
    return exists && snprintf(path, PATH_MAX, "%s/%s", real, last + 1) < PATH_MAX && is_watched(path);
}

#define OPEN_CALL(folder, name, flags, call)                                              \
    mode_t mode = 0;                                                                      \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                \
        va_list rest;                                                                     \
        va_start(rest, flags);                                                            \
        mode = va_arg(rest, mode_t);                                                      \
        va_end(rest);                                                                     \
    }                                                                                     \
    char path[PATH_MAX];                                                                  \
    if (flags & (O_CREAT | O_TRUNC) && name_at(folder, name, path)) {                     \
        int is_new = access(path, F_OK) != 0;                                             \
        errno = 0;                                                                        \
        if (is_new && flags & O_CREAT && fails(WRITES)) return -1;                        \
        int file = call;                                                                  \
        if (file >= 0 && is_new) record(CREATE, path, NULL, 0, 0, NULL, 0);               \
        else if (file >= 0 && flags & O_TRUNC) record(TRUNCATE, path, NULL, 0, 0, NULL, 0); \
        return file;                                                                      \
    }                                                                                     \
    return call

int open(const char *name, int flags, ...) { OPEN_CALL(AT_FDCWD, name, flags, NEXT(open)(name, flags, mode)); }
int open64(const char *name, int flags, ...) { OPEN_CALL(AT_FDCWD, name, flags, NEXT(open64)(name, flags, mode)); }
int openat(int folder, const char *name, int flags, ...) {
    OPEN_CALL(folder, name, flags, NEXT(openat)(folder, name, flags, mode));
}
int openat64(int folder, const char *name, int flags, ...) {
    OPEN_CALL(folder, name, flags, NEXT(openat64)(folder, name, flags, mode));
}

int unlinkat(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    int is_watched_name = name_at(folder, name, path);
    int result = NEXT(unlinkat)(folder, name, flags);
    if (!result && is_watched_name) record(UNLINK, path, NULL, 0, 0, NULL, 0);
    return result;
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

#define PAIR_CALL(kind, from_folder, from, to_folder, to, call)                           \
    char path[PATH_MAX], other[PATH_MAX];                                                 \
    int are_watched = name_at(from_folder, from, path) && name_at(to_folder, to, other);  \
    if (are_watched && fails(WRITES)) return -1;                                          \
    int result = call;                                                                    \
    if (!result && are_watched) record(kind, path, other, 0, 0, NULL, 0);                 \
    return result

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
    PAIR_CALL(RENAME, from_folder, from, to_folder, to, NEXT(renameat2)(from_folder, from, to_folder, to, flags));
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    PAIR_CALL(RENAME, from_folder, from, to_folder, to, NEXT(renameat)(from_folder, from, to_folder, to));
}

int rename(const char *from, const char *to) {
    PAIR_CALL(RENAME, AT_FDCWD, from, AT_FDCWD, to, NEXT(rename)(from, to));
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    PAIR_CALL(LINK, from_folder, from, to_folder, to, NEXT(linkat)(from_folder, from, to_folder, to, flags));
}

int link(const char *from, const char *to) {
    PAIR_CALL(LINK, AT_FDCWD, from, AT_FDCWD, to, NEXT(link)(from, to));
}
