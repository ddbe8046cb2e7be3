/*
 * Keeps, in a directory beside, what has reached the disk by fsync(2), fdatasync(2) and syncfs(2): what a power cut at
 * any moment would leave. At the start everything there has.
 *
 *   f<key>   the content of a file when it was last synchronised; absent: it never was
 *   d<key>   the entries of a directory when it was: a line of kind, key, mode and name, and of a link its target after
 *            a tab
 *   roots    the keys of the directories that are watched, in their order
 *
 * The key is inode and time of birth: an inode's number is given again.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char disk[PATH_MAX];

#define KEY_BYTES 48

static int look(const char *path, int flags, struct statx *found, char *key) {
  if (statx(AT_FDCWD, path, flags, STATX_BASIC_STATS | STATX_BTIME, found)) return -1;
  unsigned long long born = found->stx_btime.tv_sec * 1000000000ull + found->stx_btime.tv_nsec;
  snprintf(key, KEY_BYTES, "%llx-%llx", (unsigned long long)found->stx_ino, born);
  return 0;
}

/* Whole or not at all: the process may be killed here too. */
static void put_in_place(const char *temporary, char kind, const char *key) {
  char path[2 * PATH_MAX];
  snprintf(path, sizeof path, "%s/%c%s", disk, kind, key);
  syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, path, 0);
}

static void temporary_path(char *path, size_t size) {
  snprintf(path, size, "%s/new-%d", disk, (int)syscall(SYS_gettid));
}

static void keep_file(const char *path, const char *key) {
  char bytes[16384];
  char temporary[2 * PATH_MAX];
  temporary_path(temporary, sizeof temporary);
  int from = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  int to = (int)syscall(SYS_openat, AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  for (long length; (length = syscall(SYS_read, from, bytes, sizeof bytes)) > 0;)
    (void)!syscall(SYS_write, to, bytes, length);
  syscall(SYS_close, from);
  syscall(SYS_close, to);
  put_in_place(temporary, 'f', key);
}

/* With `whole`, it keeps everything below as well. */
static void keep_directory(const char *path, const char *key, int whole) {
  char temporary[2 * PATH_MAX], own[PATH_MAX], target[PATH_MAX], own_key[KEY_BYTES];
  struct statx found;
  DIR *directory = opendir(path);
  if (!directory) return;
  if (whole) {
    for (struct dirent *entry; (entry = readdir(directory));) {
      if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
      snprintf(own, sizeof own, "%s/%s", path, entry->d_name);
      if (look(own, AT_SYMLINK_NOFOLLOW, &found, own_key)) continue;
      if (S_ISDIR(found.stx_mode)) keep_directory(own, own_key, 1);
      if (S_ISREG(found.stx_mode)) keep_file(own, own_key);
    }
    rewinddir(directory);
  }
  temporary_path(temporary, sizeof temporary);
  FILE *list = fopen(temporary, "w");
  for (struct dirent *entry; list && (entry = readdir(directory));) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
    snprintf(own, sizeof own, "%s/%s", path, entry->d_name);
    if (look(own, AT_SYMLINK_NOFOLLOW, &found, own_key)) continue;
    char kind = S_ISDIR(found.stx_mode) ? 'd' : S_ISLNK(found.stx_mode) ? 'l' : 'f';
    ssize_t length = kind == 'l' ? readlink(own, target, sizeof target - 1) : 0;
    target[length < 0 ? 0 : length] = 0;
    fprintf(list, "%c %s %o %s\t%s\n", kind, own_key, found.stx_mode & 07777, entry->d_name, target);
  }
  if (list) fclose(list);
  closedir(directory);
  put_in_place(temporary, 'd', key);
}

void disk_begin(const char *place, const char *directories) {
  char roots[PATH_MAX + 8], path[PATH_MAX], key[KEY_BYTES];
  struct statx found;
  snprintf(disk, sizeof disk, "%s", place);
  snprintf(roots, sizeof roots, "%s/roots", disk);
  if (access(roots, F_OK) == 0) return;
  FILE *list = fopen(roots, "w");
  for (const char *one = directories; list && *one;) {
    size_t length = strcspn(one, ":");
    snprintf(path, sizeof path, "%.*s", (int)length, one);
    if (look(path, 0, &found, key) == 0) {
      keep_directory(path, key, 1);
      fprintf(list, "%s\n", key);
    }
    one += length + (one[length] == ':');
  }
  if (list) fclose(list);
}

void disk_synced(int descriptor) {
  char link[64], path[PATH_MAX], key[KEY_BYTES];
  struct statx found;
  if (!*disk) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  if (look(link, 0, &found, key)) return;
  if (S_ISREG(found.stx_mode)) return keep_file(link, key);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  if (S_ISDIR(found.stx_mode)) keep_directory(path, key, 0);
}

/* syncfs(2) does more: the rest of the file system too, which who asks for this directory must not lean on. */
void disk_synced_whole(const char *path) {
  char key[KEY_BYTES];
  struct statx found;
  if (*disk && look(path, 0, &found, key) == 0) keep_directory(path, key, 1);
}
