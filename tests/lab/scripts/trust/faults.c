/* Makes system calls on the files of one folder fail, stop or kill the process, or lose what was not synced.
 *
 *     cc -shared -fPIC -O2 -o faults.so faults.c -ldl -lpthread
 *     DIGLOT_FAULT_ROOT=/dev/shm/store DIGLOT_FAULT_KIND=write DIGLOT_FAULT_AT=7 DIGLOT_FAULT_DO=enospc \
 *         LD_PRELOAD=./faults.so diglot run ...
 *
 * Preloaded into a program, it counts the calls that change files below a folder, and does something at the n-th of them. The path
 * of a descriptor is that of /proc/self/fd.
 *
 *     DIGLOT_FAULT_ROOT     the folder
 *     DIGLOT_FAULT_KIND     open (to write), write, pwrite, fsync, rename, mmap, truncate, unlink, mkdir, or any (default)
 *     DIGLOT_FAULT_MATCH    only paths that end in this; of a rename, the new path
 *     DIGLOT_FAULT_AT       at which of these calls, from 1; 0: at all
 *     DIGLOT_FAULT_DO       enospc, eio, enomem: the call fails (of mmap, with ENOMEM)
 *                           short: it writes half of its bytes (calls that do not write fail with EIO)
 *                           before, after, torn: SIGKILL before the call, after it, or when half of its bytes are written
 *                           stop: SIGSTOP after it
 *                           power: SIGKILL before the call, and writes and names that were not synced are lost (power-all),
 *                           or each is lost or not by the dice (power-some); names in their order, as by the journal of ext4,
 *                           where a file's name is durable with its bytes. power-posix: by the dice, and nothing more than POSIX
 *                           promises: a name that was made, given or taken is durable once its folder is synced, each by itself
 *     DIGLOT_FAULT_STICKY   1: later calls of the kind fail too
 *     DIGLOT_FAULT_SEED     of the dice
 *     DIGLOT_FAULT_COUNTS   file for the counts: u64 of each kind in the order above, then of those that match
 *     DIGLOT_FAULT_LOG      file to which kind, action and path of each fault are appended
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, WRITE, PWRITE, FSYNC, RENAME, MMAP, TRUNCATE, UNLINK, MKDIR, KINDS };
static const char *NAMES[KINDS] = {"open", "write", "pwrite", "fsync", "rename", "mmap", "truncate", "unlink", "mkdir"};

enum action { NONE, FAIL, SHORT, BEFORE, AFTER, TORN, STOP, POWER };

static char root[PATH_MAX];
static size_t root_bytes;
static int wanted = -1; /* of all kinds */
static const char *match = "";
static uint64_t at_call = UINT64_MAX;
static enum action action = NONE;
static int error_number = EIO;
static const char *action_name = "";
static int sticky, power, power_some, power_posix;
static uint64_t dice = 1;
static volatile uint64_t *counts; /* KINDS of them, then those that match */
static uint64_t own_counts[KINDS + 1];
static const char *log_path;
/* Guards the journal; while power can fail, calls that change files run one at a time. */
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

/* A change that is not synced yet. */
struct change {
    enum kind kind; /* PWRITE, TRUNCATE; of names: OPEN (of a new file), MKDIR, RENAME, UNLINK */
    dev_t device;
    ino_t inode;
    char *path, *to; /* of a rename: both paths; of other changes of names, the same one twice */
    off_t offset, size_before, size_after;
    size_t bytes, old_bytes;
    char *old, *now;   /* what lay there, and what was written */
    char *replaced;    /* the bytes of the file that a rename replaced or an unlink removed */
    size_t replaced_bytes;
    int had_target;
    char *aside; /* where the new file, or folder, is while it counts as lost */
};
static struct change *changes;
static size_t change_count, change_room;

static long real_open(const char *path, int flags, int mode) { return syscall(SYS_openat, AT_FDCWD, path, flags, mode); }
static long real_pwrite(int fd, const void *bytes, size_t count, off_t at) { return syscall(SYS_pwrite64, fd, bytes, count, at); }
static long real_pread(int fd, void *bytes, size_t count, off_t at) { return syscall(SYS_pread64, fd, bytes, count, at); }

static char *environment(const char *name) {
    char *value = getenv(name);
    return value && *value ? value : NULL;
}

__attribute__((constructor)) static void begin(void) {
    char *text = environment("DIGLOT_FAULT_ROOT");
    if (!text) return;
    snprintf(root, sizeof root, "%s", text);
    root_bytes = strlen(root);
    if ((text = environment("DIGLOT_FAULT_KIND")))
        for (int kind = 0; kind < KINDS; kind++)
            if (!strcmp(text, NAMES[kind])) wanted = kind;
    if ((text = environment("DIGLOT_FAULT_MATCH"))) match = text;
    if ((text = environment("DIGLOT_FAULT_AT"))) at_call = strtoull(text, NULL, 10);
    if ((text = environment("DIGLOT_FAULT_STICKY"))) sticky = *text == '1';
    if ((text = environment("DIGLOT_FAULT_SEED"))) dice = strtoull(text, NULL, 10) * 2 + 1;
    log_path = environment("DIGLOT_FAULT_LOG");
    if ((text = environment("DIGLOT_FAULT_DO"))) {
        action_name = text;
        if (!strcmp(text, "short")) action = SHORT;
        else if (!strcmp(text, "before")) action = BEFORE;
        else if (!strcmp(text, "after")) action = AFTER;
        else if (!strcmp(text, "torn")) action = TORN;
        else if (!strcmp(text, "stop")) action = STOP;
        else if (!strncmp(text, "power", 5)) {
            action = POWER;
            power = 1;
            power_posix = !strcmp(text, "power-posix");
            power_some = power_posix || !strcmp(text, "power-some");
        } else {
            action = FAIL;
            error_number = !strcmp(text, "enospc") ? ENOSPC : !strcmp(text, "enomem") ? ENOMEM : EIO;
        }
    }
    counts = own_counts;
    if ((text = environment("DIGLOT_FAULT_COUNTS"))) {
        int fd = (int)real_open(text, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (fd >= 0) {
            if (syscall(SYS_ftruncate, fd, sizeof own_counts) == 0) {
                void *shared = (void *)syscall(SYS_mmap, NULL, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
                if (shared != MAP_FAILED) counts = shared;
            }
            syscall(SYS_close, fd);
        }
    }
}

static int is_below(const char *path) {
    return root_bytes && !strncmp(path, root, root_bytes) && (path[root_bytes] == '/' || !path[root_bytes]);
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return length > 0 && is_below(path);
}

/* The absolute path, without looking at the file. */
static int path_at(int folder, const char *name, char *path) {
    if (name[0] == '/') {
        snprintf(path, PATH_MAX, "%s", name);
    } else {
        char base[PATH_MAX];
        if (folder == AT_FDCWD) {
            if (syscall(SYS_getcwd, base, sizeof base) < 0) return 0;
        } else if (!path_of(folder, base) && !*base) {
            return 0;
        }
        if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
    }
    return is_below(path);
}

static void note(enum kind kind, const char *path) {
    if (!log_path) return;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\n", NAMES[kind], action_name, path);
    int fd = (int)real_open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (syscall(SYS_write, fd, line, length) < 0) { /* nothing to be done about it */ }
    syscall(SYS_close, fd);
}

/* ---- What was not synced ---- */

static struct change *add_change(void) {
    if (change_count == change_room) {
        change_room = change_room ? change_room * 2 : 256;
        changes = realloc(changes, change_room * sizeof *changes);
        if (!changes) abort();
    }
    struct change *made = &changes[change_count++];
    memset(made, 0, sizeof *made);
    return made;
}

static void drop_change(struct change *gone) {
    free(gone->path), free(gone->to), free(gone->old), free(gone->now), free(gone->replaced);
}

/* Before a write or a change of length. */
static void remember_write(int fd, const char *path, enum kind kind, const void *bytes, size_t count, off_t at, off_t size_after) {
    struct stat stat;
    if (syscall(SYS_fstat, fd, &stat) != 0) return;
    struct change *made = add_change();
    made->kind = kind, made->device = stat.st_dev, made->inode = stat.st_ino, made->path = strdup(path);
    made->offset = at, made->size_before = stat.st_size, made->bytes = count, made->size_after = size_after;
    if (kind == PWRITE) {
        made->now = malloc(count ? count : 1);
        memcpy(made->now, bytes, count);
        made->size_after = at + (off_t)count > stat.st_size ? at + (off_t)count : stat.st_size;
    }
    off_t end = kind == PWRITE ? at + (off_t)count : stat.st_size;
    if (end > stat.st_size) end = stat.st_size;
    if (end > at) {
        int readable = (int)real_open(path, O_RDONLY | O_CLOEXEC, 0);
        made->old = malloc(end - at);
        if (readable >= 0) {
            long got = real_pread(readable, made->old, end - at, at);
            made->old_bytes = got > 0 ? got : 0;
            syscall(SYS_close, readable);
        }
    }
}

static void remember_name(enum kind kind, const char *from, const char *to) {
    struct change *made = add_change();
    made->kind = kind, made->path = strdup(from), made->to = strdup(to);
    int fd = (int)real_open(to, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
    struct stat stat;
    if (fd >= 0 && syscall(SYS_fstat, fd, &stat) == 0 && S_ISREG(stat.st_mode)) {
        made->had_target = 1;
        made->replaced = malloc(stat.st_size + 1);
        long got = real_pread(fd, made->replaced, stat.st_size, 0);
        made->replaced_bytes = got > 0 ? got : 0;
    }
    if (fd >= 0) syscall(SYS_close, fd);
}

/* After a file or folder was made. */
static void remember_new(enum kind kind, const char *path) {
    struct stat stat;
    struct change *made = add_change();
    made->kind = kind, made->path = strdup(path), made->to = strdup(path);
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &stat, 0) == 0) made->device = stat.st_dev, made->inode = stat.st_ino;
}

static int is_new(const struct change *one) { return one->kind == OPEN || one->kind == MKDIR; }
static int is_of_names(const struct change *one) { return one->kind == RENAME || one->kind == UNLINK || is_new(one); }

static int is_in(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && path[length] == '/' && !strchr(path + length + 1, '/');
}

/* A synced file has no changes left, and by ext4 its name stays; a synced folder has none of names in it, and by ext4 none came before
 * those. */
static void forget(int fd, const char *path) {
    struct stat stat;
    if (syscall(SYS_fstat, fd, &stat) != 0) return;
    size_t kept = 0, named = 0;
    for (size_t at = 0; S_ISDIR(stat.st_mode) && at < change_count; at++)
        if (is_of_names(&changes[at]) && is_in(changes[at].to, path)) named = at + 1;
    for (size_t at = 0; at < change_count; at++) {
        struct change *one = &changes[at];
        int is_it = one->device == stat.st_dev && one->inode == stat.st_ino;
        int gone = !is_of_names(one) ? is_it
                   : power_posix     ? S_ISDIR(stat.st_mode) && is_in(one->to, path)
                                     : at < named || (is_new(one) && is_it);
        if (gone) drop_change(one);
        else changes[kept++] = *one;
    }
    change_count = kept;
}

static void put(const char *path, const char *bytes, size_t count) {
    int fd = (int)real_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0) return;
    if (count) real_pwrite(fd, bytes, count, 0);
    syscall(SYS_close, fd);
}

/* True where the file of a change is still the one at its path. */
static int reopen(struct change *one) {
    int fd = (int)real_open(one->path, O_RDWR | O_CLOEXEC, 0);
    struct stat stat;
    if (fd >= 0 && (syscall(SYS_fstat, fd, &stat) != 0 || stat.st_ino != one->inode)) {
        syscall(SYS_close, fd);
        return -1;
    }
    return fd;
}

static int roll(void) {
    dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
    return (dice >> 33) & 1;
}

/* Where what was made at this path is while it counts as lost. */
static const char *aside_of(const char *path) {
    for (size_t at = change_count; at-- > 0;)
        if (is_new(&changes[at]) && changes[at].aside && !strcmp(changes[at].path, path)) return changes[at].aside;
    return path;
}

/* All that was not synced is taken back, last first; then some of it is done again. */
static void lose(void) {
    for (size_t at = change_count; at-- > 0;) {
        struct change *one = &changes[at];
        if (is_new(one)) {
            if (asprintf(&one->aside, "%s.lost-%zu", root, at) < 0) abort();
            if (syscall(SYS_renameat, AT_FDCWD, one->path, AT_FDCWD, one->aside) != 0) one->aside = NULL;
            continue;
        }
        if (is_of_names(one)) {
            int undone = one->kind == UNLINK || syscall(SYS_renameat, AT_FDCWD, one->to, AT_FDCWD, one->path) == 0;
            if (undone && one->had_target) put(one->to, one->replaced, one->replaced_bytes);
            continue;
        }
        int fd = reopen(one);
        if (fd < 0) continue;
        if (syscall(SYS_ftruncate, fd, one->size_before) == 0 && one->old_bytes)
            real_pwrite(fd, one->old, one->old_bytes, one->offset);
        syscall(SYS_close, fd);
    }
    int names_are_lost = 0;
    for (size_t at = 0; power_some && at < change_count; at++) {
        struct change *one = &changes[at];
        if (is_of_names(one)) {
            names_are_lost = power_posix ? roll() : names_are_lost | roll();
            if (names_are_lost) continue;
            if (one->kind == UNLINK) {
                syscall(SYS_unlinkat, AT_FDCWD, one->to, 0);
            } else if (is_new(one)) {
                if (one->aside && syscall(SYS_renameat, AT_FDCWD, one->aside, AT_FDCWD, one->path) == 0) one->aside = NULL;
            } else if (syscall(SYS_renameat, AT_FDCWD, one->path, AT_FDCWD, one->to) != 0 && power_posix) {
                /* The new name is durable, the one before it never was. */
                syscall(SYS_renameat, AT_FDCWD, aside_of(one->path), AT_FDCWD, one->to);
            }
            continue;
        }
        if (!roll()) continue;
        int fd = reopen(one);
        if (fd < 0) continue;
        if (one->kind == PWRITE) real_pwrite(fd, one->now, one->bytes, one->offset);
        else if (syscall(SYS_ftruncate, fd, one->size_after) < 0) { /* it stays as long as it was */ }
        syscall(SYS_close, fd);
    }
}

/* ---- What is done at a call ---- */

static enum action decide(enum kind kind, const char *path) {
    __atomic_add_fetch(&counts[kind], 1, __ATOMIC_SEQ_CST);
    if (wanted >= 0 && (int)kind != wanted) return NONE;
    size_t length = strlen(path), tail = strlen(match);
    if (tail && (length < tail || strcmp(path + length - tail, match))) return NONE;
    uint64_t number = __atomic_add_fetch(&counts[KINDS], 1, __ATOMIC_SEQ_CST);
    int is_now = at_call == 0 || number == at_call || (sticky && number > at_call);
    if (!is_now || action == NONE) return NONE;
    if (number == at_call || at_call == 0) note(kind, path);
    if (action == BEFORE) syscall(SYS_kill, getpid(), SIGKILL);
    if (action == POWER) {
        pthread_mutex_lock(&guard);
        lose();
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    return action;
}

static void afterwards(enum action done) {
    int saved = errno;
    if (done == AFTER || done == TORN) syscall(SYS_kill, getpid(), SIGKILL);
    if (done == STOP) syscall(SYS_kill, getpid(), SIGSTOP);
    errno = saved;
}

static int failed(enum kind kind) {
    errno = kind == MMAP ? ENOMEM : action == SHORT ? EIO : error_number;
    return -1;
}

static void lock(void) { if (power) pthread_mutex_lock(&guard); }
static void unlock(void) { if (power) pthread_mutex_unlock(&guard); }

/* at < 0: at the place of the descriptor */
static ssize_t write_some(enum kind kind, int fd, const void *bytes, size_t count, off_t at) {
    char path[PATH_MAX];
    int ours = root_bytes && path_of(fd, path);
    enum action now = ours ? decide(kind, path) : NONE;
    if (now == FAIL) return failed(kind);
    if ((now == SHORT || now == TORN) && count > 1) count /= 2;
    lock();
    if (ours && power) {
        off_t place = at;
        if (at < 0) {
            struct stat stat;
            int flags = fcntl(fd, F_GETFL);
            place = flags >= 0 && flags & O_APPEND && syscall(SYS_fstat, fd, &stat) == 0 ? stat.st_size
                                                                                      : syscall(SYS_lseek, fd, 0, SEEK_CUR);
        }
        remember_write(fd, path, PWRITE, bytes, count, place, 0);
    }
    ssize_t done = at < 0 ? syscall(SYS_write, fd, bytes, count) : real_pwrite(fd, bytes, count, at);
    unlock();
    afterwards(now);
    return done;
}

ssize_t write(int fd, const void *bytes, size_t count) { return write_some(WRITE, fd, bytes, count, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return write_some(PWRITE, fd, bytes, count, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) { return write_some(PWRITE, fd, bytes, count, at); }

/* Writes the first of the buffers that is not empty, which a caller must be prepared for. */
ssize_t writev(int fd, const struct iovec *parts, int count) {
    char path[PATH_MAX];
    if (!root_bytes || !path_of(fd, path)) return syscall(SYS_writev, fd, parts, count);
    for (int at = 0; at < count; at++)
        if (parts[at].iov_len) return write_some(WRITE, fd, parts[at].iov_base, parts[at].iov_len, -1);
    return 0;
}

/* Programs that copy files go on with read and write. */
ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t count, unsigned flags) {
    char path[PATH_MAX];
    if (root_bytes && path_of(to, path)) return errno = ENOSYS, -1;
    return syscall(SYS_copy_file_range, from, from_at, to, to_at, count, flags);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t count) {
    char path[PATH_MAX];
    if (root_bytes && path_of(to, path)) return errno = ENOSYS, -1;
    return syscall(SYS_sendfile, to, from, at, count);
}

static int sync_it(long call, int fd) {
    char path[PATH_MAX];
    int ours = root_bytes && path_of(fd, path);
    enum action now = ours ? decide(FSYNC, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(FSYNC);
    lock();
    int done = (int)syscall(call, fd);
    if (ours && power && done == 0) forget(fd, path);
    unlock();
    afterwards(now);
    return done;
}

int fsync(int fd) { return sync_it(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_it(SYS_fdatasync, fd); }

int sync_file_range(int fd, off64_t at, off64_t count, unsigned flags) {
    char path[PATH_MAX];
    int ours = root_bytes && path_of(fd, path);
    enum action now = ours ? decide(FSYNC, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(FSYNC);
    lock();
    int done = (int)syscall(SYS_sync_file_range, fd, at, count, flags);
    if (ours && power && done == 0) forget(fd, path);
    unlock();
    afterwards(now);
    return done;
}

static int rename_it(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    char old[PATH_MAX], new[PATH_MAX];
    int ours = root_bytes && path_at(to_folder, to, new);
    enum action now = ours ? decide(RENAME, new) : NONE;
    if (now == FAIL || now == SHORT) return failed(RENAME);
    lock();
    if (ours && power && path_at(from_folder, from, old)) remember_name(RENAME, old, new);
    int done = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
    unlock();
    afterwards(now);
    return done;
}

int rename(const char *from, const char *to) { return rename_it(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int old_folder, const char *from, int new_folder, const char *to) { return rename_it(old_folder, from, new_folder, to, 0); }
int renameat2(int old_folder, const char *from, int new_folder, const char *to, unsigned flags) {
    return rename_it(old_folder, from, new_folder, to, flags);
}

static int truncate_it(int fd, off_t length) {
    char path[PATH_MAX];
    int ours = root_bytes && path_of(fd, path);
    enum action now = ours ? decide(TRUNCATE, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(TRUNCATE);
    lock();
    if (ours && power) remember_write(fd, path, TRUNCATE, NULL, 0, length, length);
    int done = (int)syscall(SYS_ftruncate, fd, length);
    unlock();
    afterwards(now);
    return done;
}

int ftruncate(int fd, off_t length) { return truncate_it(fd, length); }
int ftruncate64(int fd, off_t length) { return truncate_it(fd, length); }

int posix_fallocate64(int fd, off_t at, off_t length) {
    char path[PATH_MAX];
    int ours = root_bytes && path_of(fd, path);
    enum action now = ours ? decide(TRUNCATE, path) : NONE;
    if (now == FAIL || now == SHORT) return error_number;
    int done = syscall(SYS_fallocate, fd, 0, at, length) < 0 ? errno : 0;
    afterwards(now);
    return done;
}

static void *map_it(void *where, size_t length, int protection, int flags, int fd, off_t at) {
    char path[PATH_MAX];
    int ours = root_bytes && fd >= 0 && !(flags & MAP_ANONYMOUS) && path_of(fd, path);
    enum action now = ours ? decide(MMAP, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(MMAP), MAP_FAILED;
    void *made = (void *)syscall(SYS_mmap, where, length, protection, flags, fd, at);
    afterwards(now);
    return made;
}

void *mmap(void *where, size_t length, int protection, int flags, int fd, off_t at) {
    return map_it(where, length, protection, flags, fd, at);
}
void *mmap64(void *where, size_t length, int protection, int flags, int fd, off_t at) {
    return map_it(where, length, protection, flags, fd, at);
}

static int open_it(int folder, const char *name, int flags, int mode) {
    char path[PATH_MAX];
    int writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;
    int ours = root_bytes && writes && path_at(folder, name, path);
    enum action now = ours ? decide(OPEN, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(OPEN);
    lock();
    struct stat before;
    int is_there = ours && power && syscall(SYS_newfstatat, folder, name, &before, 0) == 0;
    if (is_there && flags & O_TRUNC && before.st_size) {
        int fd = (int)real_open(path, O_RDONLY | O_CLOEXEC, 0);
        if (fd >= 0) remember_write(fd, path, TRUNCATE, NULL, 0, 0, 0), syscall(SYS_close, fd);
    }
    int done = (int)syscall(SYS_openat, folder, name, flags, mode);
    if (ours && power && !is_there && done >= 0 && flags & O_CREAT && (flags & O_TMPFILE) != O_TMPFILE) remember_new(OPEN, path);
    unlock();
    afterwards(now);
    return done;
}

#define MODE(flags) ({ int mode_ = 0; if ((flags) & (O_CREAT | O_TMPFILE)) { va_list list_; va_start(list_, flags); \
    mode_ = va_arg(list_, int); va_end(list_); } mode_; })

int open(const char *name, int flags, ...) { return open_it(AT_FDCWD, name, flags, MODE(flags)); }
int open64(const char *name, int flags, ...) { return open_it(AT_FDCWD, name, flags, MODE(flags)); }
int openat(int folder, const char *name, int flags, ...) { return open_it(folder, name, flags, MODE(flags)); }
int openat64(int folder, const char *name, int flags, ...) { return open_it(folder, name, flags, MODE(flags)); }

static int unlink_it(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    int ours = root_bytes && path_at(folder, name, path);
    enum action now = ours ? decide(UNLINK, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(UNLINK);
    lock();
    if (ours && power && !(flags & AT_REMOVEDIR)) remember_name(UNLINK, path, path);
    int done = (int)syscall(SYS_unlinkat, folder, name, flags);
    unlock();
    afterwards(now);
    return done;
}

int unlink(const char *name) { return unlink_it(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return unlink_it(folder, name, flags); }
int rmdir(const char *name) { return unlink_it(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdir(const char *name, mode_t mode) {
    char path[PATH_MAX];
    int ours = root_bytes && path_at(AT_FDCWD, name, path);
    enum action now = ours ? decide(MKDIR, path) : NONE;
    if (now == FAIL || now == SHORT) return failed(MKDIR);
    lock();
    int done = (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode);
    if (ours && power && done == 0) remember_new(MKDIR, path);
    unlock();
    afterwards(now);
    return done;
}
