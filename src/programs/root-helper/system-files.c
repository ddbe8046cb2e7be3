// The two orders that are files of the system, written here: a minimal Debian has neither timedated nor hostnamed's
// D-Bus.
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef ETC
#define ETC "/etc"
#endif
#ifndef ZONES
#define ZONES "/usr/share/zoneinfo"
#endif
// Root may write it without a capability, which sethostname(2) needs.
#ifndef KERNEL_HOST_NAME
#define KERNEL_HOST_NAME "/proc/sys/kernel/hostname"
#endif

static int write_all(int file, const char *text, size_t length) {
  ssize_t written = write(file, text, length);
  if (written < 0) return errno;
  return (size_t)written == length ? 0 : ENOSPC;
}

// Closes it, and keeps the first failure.
static int close_after(int file, int failure) {
  if (close(file) < 0 && failure == 0) return errno;
  return failure;
}

// The new name of a file in /etc is on the disk.
static int flush_directory(void) {
  int directory = open(ETC, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return errno;
  return close_after(directory, fsync(directory) < 0 ? errno : 0);
}

// Replaces `path` by `draft`, whole or not at all.
static int put_in_place(const char *draft, const char *path) {
  if (rename(draft, path) == 0) return flush_directory();
  int failure = errno;
  unlink(draft);
  return failure;
}

static int replace_line(const char *draft, const char *path, const char *text) {
  char line[ARGUMENT_BYTES + 2];
  int length = snprintf(line, sizeof line, "%s\n", text);
  unlink(draft);
  int file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return errno;
  int failure = write_all(file, line, (size_t)length);
  // Every user may read it, whatever the umask.
  if (failure == 0 && (fchmod(file, 0644) < 0 || fsync(file) < 0)) failure = errno;
  failure = close_after(file, failure);
  if (failure == 0) return put_in_place(draft, path);
  unlink(draft);
  return failure;
}

// Succeeds if the database has this zone: a file that begins as RFC 9636 says.
static int find_zone(const char *name) {
  char path[sizeof ZONES + 1 + ARGUMENT_BYTES];
  snprintf(path, sizeof path, "%s/%s", ZONES, name);
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno;
  struct stat found;
  char magic[4];
  bool is_zone = fstat(file, &found) == 0 && S_ISREG(found.st_mode) && read(file, magic, sizeof magic) == 4 &&
                 memcmp(magic, "TZif", 4) == 0;
  close(file);
  return is_zone ? 0 : ENOENT;
}

// localtime(5): a link to the zone's file. /etc/timezone is Debian's, for programs that want the name.
int set_time_zone(const char *name) {
  int failure = find_zone(name);
  if (failure) return failure;
  char target[sizeof "../usr/share/zoneinfo/" + ARGUMENT_BYTES];
  snprintf(target, sizeof target, "../usr/share/zoneinfo/%s", name);
  unlink(ETC "/.localtime.steward");
  if (symlink(target, ETC "/.localtime.steward") < 0) return errno;
  failure = put_in_place(ETC "/.localtime.steward", ETC "/localtime");
  if (failure || access(ETC "/timezone", F_OK) < 0) return failure;
  return replace_line(ETC "/.timezone.steward", ETC "/timezone", name);
}

int set_host_name(const char *name) {
  // First: a container may have it read-only, and the file then has to stay as it is.
  int kernel = open(KERNEL_HOST_NAME, O_WRONLY | O_CLOEXEC);
  if (kernel < 0) return errno;
  int failure = replace_line(ETC "/.hostname.steward", ETC "/hostname", name);
  if (!failure) failure = write_all(kernel, name, strlen(name));
  return close_after(kernel, failure);
}
