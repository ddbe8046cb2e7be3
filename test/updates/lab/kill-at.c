/*
 * Counts the calls that change files under a directory and, at the Nth, kills the process or fills the disk. For
 * LD_PRELOAD.
 *
 *   KILL_AT_DIRECTORY  absolute, without a trailing slash; its own entry counts too
 *   KILL_AT_COUNT      N, from 1; 0 or absent: count only
 *   KILL_AT_HOW        "before" the call | "half" of a write is done, then the kill (as "before" for other calls)
 *                      | "full": this call and every later one that takes space fail with ENOSPC
 *   KILL_AT_LOG        a file outside of the directory that gets a line for each call that was counted
 *
 * A call is named as the C library names it. What takes space: everything but unlink, rmdir and chmod.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static atomic_int counted;

#define REAL(type, name) ((type)dlsym(RTLD_NEXT, name))

static int is_under(const char *path) {
  const char *directory = getenv("KILL_AT_DIRECTORY");
  size_t length = directory ? strlen(directory) : 0;
  if (!length || strncmp(path, directory, length)) return 0;
  return path[length] == '/' || path[length] == 0;
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

static void die(void) {
  raise(SIGKILL);
  pause();
}

enum verdict { GO_ON, HALF, NO_SPACE };

/* What becomes of a call on this path. Does not come back when it is the one to be killed at. */
static enum verdict count(const char *name, const char *path, int takes_space) {
  if (!is_under(path)) return GO_ON;
  const char *wanted = getenv("KILL_AT_COUNT");
  int at = wanted ? atoi(wanted) : 0;
  int number = atomic_fetch_add(&counted, 1) + 1;
  note(number, name, path);
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
  if (verdict == HALF) {
    (void)!syscall(SYS_write, descriptor, bytes, length / 2);
    die();
  }
  return syscall(SYS_write, descriptor, bytes, length);
}

static ssize_t writing_at(int descriptor, const void *bytes, size_t length, off_t offset) {
  enum verdict verdict = count_open("pwrite", descriptor, 1);
  if (verdict == NO_SPACE) return no_space();
  if (verdict == HALF) {
    (void)!syscall(SYS_pwrite64, descriptor, bytes, length / 2, offset);
    die();
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
    (void)!syscall(SYS_write, descriptor, parts[0].iov_base, parts[0].iov_len / 2);
    die();
  }
  return syscall(SYS_writev, descriptor, parts, number);
}

ssize_t pwritev64(int descriptor, const struct iovec *parts, int number, off_t offset) {
  enum verdict verdict = count_open("pwritev", descriptor, 1);
  if (verdict == NO_SPACE) return no_space();
  if (verdict == HALF) {
    (void)!syscall(SYS_pwrite64, descriptor, parts[0].iov_base, parts[0].iov_len / 2, offset);
    die();
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

int fsync(int descriptor) {
  if (count_open("fsync", descriptor, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(int), "fsync")(descriptor);
}

int fdatasync(int descriptor) {
  if (count_open("fdatasync", descriptor, 1) == NO_SPACE) return no_space();
  return REAL(int (*)(int), "fdatasync")(descriptor);
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
