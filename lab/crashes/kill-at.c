/*
 * Counts the calls that change files under some directories and, at the Nth, kills the process or fills the disk; or
 * asks at each of them, and goes on when it is answered. For LD_PRELOAD, with kept-disk.c.
 *
 *   KILL_AT_DIRECTORY  absolute, without a trailing slash, several with colons between; their own entries count too
 *   KILL_AT_COUNT      N, from 1; 0 or absent: count only
 *   KILL_AT_HOW        "before" the call | "half" of a write is done, then the kill (as "before" for other calls)
 *                      | "full": this call and every later one that takes space fail with ENOSPC
 *   KILL_AT_LOG        a file outside of the directories that gets a line for each call that was counted
 *   KILL_AT_GATE       a directory outside of them with the fifos `asked`, which gets the line of each call before it is
 *                      done and of each write when half of it is, and `answer`, which must give a byte for each
 *   KEPT_DISK          a directory outside of them for what has reached the disk; see kept-disk.c
 *
 * A call is named as the C library names it. What takes space: everything but unlink, rmdir and chmod.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* kept-disk.c defines these. */
void disk_begin(const char *place, const char *directories);
void disk_synced(int descriptor);
void disk_synced_whole(const char *path);

static atomic_int counted;

/* As they were at the start: what a child is given as its environment replaces it between fork and exec. */
static const char *directories, *gate;
static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char *disk = getenv("KEPT_DISK");
  directories = getenv("KILL_AT_DIRECTORY");
  if (directories) directories = strdup(directories);
  gate = getenv("KILL_AT_GATE");
  if (gate) gate = strdup(gate);
  if (disk && directories) disk_begin(disk, directories);
}

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static int is_under(const char *path) {
  for (const char *one = directories; one && *one;) {
    size_t length = strcspn(one, ":");
    if (length && !strncmp(path, one, length) && (path[length] == '/' || path[length] == 0)) return 1;
    one += length + (one[length] == ':');
  }
  return 0;
}

static int is_how(const char *how) {
  const char *wanted = getenv("KILL_AT_HOW");
  return wanted && !strcmp(wanted, how);
}

static void path_of(int descriptor, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = 0;
}

static void note(int number, const char *name, const char *path) {
  const char *log = getenv("KILL_AT_LOG");
  if (!log) return;
  char line[PATH_MAX + 64];
  int length = snprintf(line, sizeof line, "%d %s %s\n", number, name, path);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (descriptor < 0) return;
  (void)!syscall(SYS_write, descriptor, line, (size_t)length);
  syscall(SYS_close, descriptor);
}

static void pass_gate(int number, const char *name, const char *path) {
  char fifo[PATH_MAX], line[PATH_MAX + 64], answer;
  int length = snprintf(line, sizeof line, "%d %s %s\n", number, name, path);
  snprintf(fifo, sizeof fifo, "%s/asked", gate);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, fifo, O_WRONLY | O_CLOEXEC, 0);
  (void)!syscall(SYS_write, descriptor, line, (size_t)length);
  syscall(SYS_close, descriptor);
  snprintf(fifo, sizeof fifo, "%s/answer", gate);
  descriptor = (int)syscall(SYS_openat, AT_FDCWD, fifo, O_RDONLY | O_CLOEXEC, 0);
  (void)!syscall(SYS_read, descriptor, &answer, 1);
  syscall(SYS_close, descriptor);
}

static void ask(int number, const char *name, const char *path) {
  if (!gate) return;
  pthread_mutex_lock(&gate_lock);
  pass_gate(number, name, path);
  pthread_mutex_unlock(&gate_lock);
}

static void die(void) {
  raise(SIGKILL);
  pause();
}

enum verdict { GO_ON, HALF, NO_SPACE };

/* Decides what happens to a call on this path. Does not come back when the process is to be killed at this call. */
static enum verdict count(const char *name, const char *path, int takes_space) {
  if (!is_under(path)) return GO_ON;
  const char *wanted = getenv("KILL_AT_COUNT");
  int at = wanted ? atoi(wanted) : 0;
  int number = atomic_fetch_add(&counted, 1) + 1;
  note(number, name, path);
  ask(number, name, path);
  if (gate && strstr(name, "write")) return HALF;
  if (at == 0 || number < at) return GO_ON;
  if (is_how("full")) return takes_space ? NO_SPACE : GO_ON;
  if (number > at) return GO_ON;
  if (is_how("half") && strstr(name, "write")) return HALF;
  die();
  return GO_ON;
}

static enum verdict count_open(const char *name, int descriptor, int takes_space) {
  char path[PATH_MAX];
  path_of(descriptor, path);
  return count(name, path, takes_space);
}

/* Half of a write is done: the end, or a question and then the rest of it. */
static void after_half(int descriptor) {
  char path[PATH_MAX];
  if (!gate) die();
  path_of(descriptor, path);
  ask(0, "half-write", path);
}

/* Not as a short write, after which the program would go on with one call more. */
static ssize_t in_halves(int descriptor, const void *bytes, size_t length) {
  size_t half = length / 2;
  (void)!syscall(SYS_write, descriptor, bytes, half);
  after_half(descriptor);
  ssize_t rest = syscall(SYS_write, descriptor, (const char *)bytes + half, length - half);
  return rest < 0 ? (ssize_t)half : (ssize_t)half + rest;
}

static int no_space(void) {
  errno = ENOSPC;
  return -1;
}

static int opening(const char *path, int flags, mode_t mode) {
  if (flags & (O_CREAT | O_TRUNC)) {
    if (count("open", path, 1) == NO_SPACE) return no_space();
  }
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return opening(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  return opening(path, flags | O_LARGEFILE, mode);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  enum verdict verdict = count_open("write", descriptor, 1);
  if (verdict == NO_SPACE) return no_space();
  if (verdict == HALF) return in_halves(descriptor, bytes, length);
  return syscall(SYS_write, descriptor, bytes, length);
}

static ssize_t writing_at(int descriptor, const void *bytes, size_t length, off_t offset) {
  enum verdict verdict = count_open("pwrite", descriptor, 1);
  if (verdict == NO_SPACE) return no_space();
  if (verdict == HALF) {
    (void)!syscall(SYS_pwrite64, descriptor, bytes, length / 2, offset);
    after_half(descriptor);
  }
  return syscall(SYS_pwrite64, descriptor, bytes, length, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return writing_at(descriptor, bytes, length, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off_t offset) {
  return writing_at(descriptor, bytes, length, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int number) {
  enum verdict verdict = count_open("writev", descriptor, 1);
  if (verdict == NO_SPACE) return no_space();
  if (verdict == HALF) {
    ssize_t first = in_halves(descriptor, parts[0].iov_base, parts[0].iov_len);
    ssize_t more = number > 1 ? syscall(SYS_writev, descriptor, parts + 1, number - 1) : 0;
    return more < 0 ? first : first + more;
  }
  return syscall(SYS_writev, descriptor, parts, number);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int number, off_t offset) {
  enum verdict verdict = count_open("pwritev", descriptor, 1);
  if (verdict == NO_SPACE) return no_space();
  if (verdict == HALF) {
    (void)!syscall(SYS_pwrite64, descriptor, parts[0].iov_base, parts[0].iov_len / 2, offset);
    after_half(descriptor);
  }
  return REAL(ssize_t (*)(int, const struct iovec *, int, off_t), "pwritev64")(descriptor, parts, number, offset);
}

ssize_t sendfile64(int out, int in, off_t *offset, size_t length) {
  if (count_open("sendfile-write", out, 1) == NO_SPACE) return no_space();
  return REAL(ssize_t (*)(int, int, off_t *, size_t), "sendfile64")(out, in, offset, length);
}

int rename(const char *from, const char *to) {
  if (count("rename", to, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(const char *, const char *), "rename")(from, to);
}

int symlink(const char *target, const char *path) {
  if (count("symlink", path, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(const char *, const char *), "symlink")(target, path);
}

int link(const char *from, const char *to) {
  if (count("link", to, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(const char *, const char *), "link")(from, to);
}

int unlink(const char *path) {
  count("unlink", path, 0);
  return REAL(int (*)(const char *), "unlink")(path);
}

int rmdir(const char *path) {
  count("rmdir", path, 0);
  return REAL(int (*)(const char *), "rmdir")(path);
}

int mkdir(const char *path, mode_t mode) {
  if (count("mkdir", path, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(const char *, mode_t), "mkdir")(path, mode);
}

static void synced(int descriptor) {
  char path[PATH_MAX];
  path_of(descriptor, path);
  if (is_under(path)) disk_synced(descriptor);
}

int fsync(int descriptor) {
  if (count_open("fsync", descriptor, 1) == NO_SPACE) return no_space();
  int result = REAL(int (*)(int), "fsync")(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}

int fdatasync(int descriptor) {
  if (count_open("fdatasync", descriptor, 1) == NO_SPACE) return no_space();
  int result = REAL(int (*)(int), "fdatasync")(descriptor);
  if (result == 0) synced(descriptor);
  return result;
}

int ftruncate64(int descriptor, off_t length) {
  if (count_open("ftruncate", descriptor, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(int, off_t), "ftruncate64")(descriptor, length);
}

int chmod(const char *path, mode_t mode) {
  count("chmod", path, 0);
  return REAL(int (*)(const char *, mode_t), "chmod")(path, mode);
}

int fchmod(int descriptor, mode_t mode) {
  count_open("fchmod", descriptor, 0);
  return REAL(int (*)(int, mode_t), "fchmod")(descriptor, mode);
}

/* sync(1) is given no environment of ours, so it does not load this; here the process is still its parent's copy. */
int execvp(const char *file, char *const words[]) {
  int last = 0;
  while (words[last]) last += 1;
  const char *path = last > 0 ? words[last - 1] : "";
  if (!strcmp(file, "sync") && is_under(path)) {
    // No lock: its holder does not exist in this copy.
    if (gate) pass_gate(0, "syncfs", path);
    disk_synced_whole(path);
  }
  return REAL(int (*)(const char *, char *const[]), "execvp")(file, words);
}
