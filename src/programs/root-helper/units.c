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

// A path of a group has 4,096 bytes at most.
static char line[8192];

static FILE *text_of(int process, const char *name) {
  int file = openat(process, name, O_RDONLY | O_CLOEXEC);
  return file < 0 ? NULL : fdopen(file, "r");
}

// The number of a process that has ended may be another user's next: then the effective user differs.
static bool is_of_user(int process, unsigned long user) {
  unsigned long effective = 0;
  bool is_found = false;
  FILE *status = text_of(process, "status");
  while (status && !is_found && fgets(line, sizeof line, status))
    is_found = sscanf(line, "Uid: %*u %lu", &effective) == 1;
  if (status) fclose(status);
  return is_found && effective == user;
}

// The first group of a path that is no slice: below it, users give groups any name.
static int unit_in(char *path, char *unit) {
  path[strcspn(path, "\n")] = '\0';
  for (char *name; (name = strsep(&path, "/"));) {
    size_t length = strlen(name);
    if (length == 0 || (length > 6 && strcmp(name + length - 6, ".slice") == 0)) continue;
    if (length >= UNIT_BYTES) return EINVAL;
    // systemd puts _ before what the kernel could take for a name of its own.
    strcpy(unit, *name == '_' ? name + 1 : name);
    return 0;
  }
  return ENOENT;
}

// systemd's own hierarchy with cgroup v1 comes first, beside which v2 may be there and empty.
static int unit_of(int process, char *unit) {
  int failure = ENOENT;
  FILE *groups = text_of(process, "cgroup");
  while (groups && fgets(line, sizeof line, groups)) {
    char *kind = line + strspn(line, "0123456789");
    bool is_own = strncmp(kind, ":name=systemd:/", 15) == 0;
    if (is_own || strncmp(line, "0::/", 4) == 0) failure = unit_in(strchr(line, '/'), unit);
    // A line that does not end would go on as another one.
    if (is_own || strlen(line) == sizeof line - 1) break;
  }
  if (groups) fclose(groups);
  return failure;
}

int find_unit(const char *process_and_user, char unit[UNIT_BYTES]) {
  char path[sizeof PROC + 24], *end;
  unsigned long number = strtoul(process_and_user, &end, 10);
  snprintf(path, sizeof path, PROC "/%lu", number);
  // All that is read through it belongs to one process: where that has ended, nothing is read.
  int process = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (process < 0) return errno;
  int failure = is_of_user(process, strtoul(end, NULL, 10)) ? unit_of(process, unit) : ESRCH;
  close(process);
  return failure;
}
