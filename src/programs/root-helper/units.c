// The unit of a process, by its control group (cgroups(7)): systemd gives each unit one, and only root moves a process to
// another unit's.
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PROC
#define PROC "/proc"
#endif

// Bytes of a file of /proc: the hierarchies of cgroup v1, each with a path. One that has more is refused, not cut.
#define TEXT_BYTES 32768

static int read_text(int directory, const char *name, char *text) {
  int file = openat(directory, name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  size_t length = 0;
  ssize_t got;
  while (length < TEXT_BYTES && (got = read(file, text + length, TEXT_BYTES - length)) > 0) length += (size_t)got;
  int failure = length == TEXT_BYTES ? E2BIG : got < 0 ? errno : 0;
  close(file);
  if (failure == 0) text[length] = '\0';
  return failure;
}

// The number of a process that has ended may be another user's next: then the effective user differs.
static bool is_of_user(const char *status, unsigned long user) {
  unsigned long effective;
  const char *line = strstr(status, "\nUid:");
  return line && sscanf(line, "\nUid: %*u %lu", &effective) == 1 && effective == user;
}

// The path of the hierarchy that systemd uses: its own one with cgroup v1, beside which v2 may be there and empty. The
// beginning of a line counts: below a unit of theirs, users give groups any name.
static char *path_in(char *groups) {
  char *unified = NULL;
  for (char *line; (line = strsep(&groups, "\n"));) {
    char *kind = line + strspn(line, "0123456789");
    if (strncmp(kind, ":name=systemd:/", 15) == 0) return strchr(kind, '/');
    if (strncmp(line, "0::/", 4) == 0) unified = strchr(line, '/');
  }
  return unified;
}

static bool is_unit_name(const char *text) {
  size_t length = strlen(text);
  // ".." leads out of this system's groups, to those of a container's host.
  return length > 0 && length < UNIT_BYTES && *text != '.' &&
         strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@") == length;
}

// The first group that is no slice: what is below it belongs to the unit, whatever its names.
static int unit_in(char *path, char *unit) {
  for (char *name; (name = strsep(&path, "/"));) {
    size_t length = strlen(name);
    if (length == 0 || (length > 6 && strcmp(name + length - 6, ".slice") == 0)) continue;
    // systemd puts _ before what the kernel could take for a name of its own.
    if (*name == '_') name++;
    if (!is_unit_name(name)) return EINVAL;
    strcpy(unit, name);
    return 0;
  }
  return ENOENT;
}

int find_unit(const char *process_and_user, char unit[UNIT_BYTES]) {
  static char text[TEXT_BYTES];
  char path[sizeof PROC + 24], *end;
  unsigned long process = strtoul(process_and_user, &end, 10), user = strtoul(end, NULL, 10);
  snprintf(path, sizeof path, PROC "/%lu", process);
  // All that is read through it belongs to one process: where that has ended, nothing is read.
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return errno;
  int failure = read_text(directory, "status", text);
  if (failure == 0 && !is_of_user(text, user)) failure = ESRCH;
  if (failure == 0) failure = read_text(directory, "cgroup", text);
  close(directory);
  if (failure) return failure;
  char *group = path_in(text);
  return group ? unit_in(group, unit) : ENOENT;
}
