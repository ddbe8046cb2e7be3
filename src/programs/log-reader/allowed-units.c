/* Decides which entries may be read: those of Steward's own units, and of those that root names in the host file. */
#include "log-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes; the agent refuses a larger host file as well. */
enum { LARGEST_FILE = 256 * 1024 };

#ifndef UNITS_ROOT
#define UNITS_ROOT ""
#endif

static const char name_characters[] = LETTERS_AND_DIGITS ":_.@\\-";

bool consists_of(const char *text, const char *characters) { return text[strspn(text, characters)] == '\0'; }

/* As in the agent (src/journal/logs/log-line.ts): steward.service, steward-….service. */
static bool is_own_unit(const char *name) {
  static const char prefix[] = "steward-", suffix[] = ".service";
  if (strcmp(name, "steward.service") == 0) return true;
  size_t length = strlen(name), around = sizeof prefix + sizeof suffix - 2;
  return length > around && length <= around + 120 && strncmp(name, prefix, sizeof prefix - 1) == 0 &&
         strcmp(name + length - (sizeof suffix - 1), suffix) == 0 && consists_of(name, name_characters);
}

bool is_allowed_unit(const struct units *units, const char *name) {
  if (is_own_unit(name)) return true;
  for (size_t i = 0; i < units->count; i += 1)
    if (fnmatch(units->names[i], name, FNM_NOESCAPE) == 0) return true;
  return false;
}

/* The fields that name the owner of an entry. */
struct origin {
  char unit[UNIT_SIZE];
  char about[UNIT_SIZE];
  char pid[16];
};

static bool read_field(struct json *json, const char *name, void *context) {
  struct origin *origin = context;
  bool is_text = json->at < json->end && *json->at == '"';
  // A field that was sent several times is a list. None of these is, unless a sender is forging them.
  if (is_text && strcmp(name, "_SYSTEMD_UNIT") == 0) return json_text(json, origin->unit, sizeof origin->unit);
  if (is_text && strcmp(name, "UNIT") == 0) return json_text(json, origin->about, sizeof origin->about);
  if (is_text && strcmp(name, "_PID") == 0) return json_text(json, origin->pid, sizeof origin->pid);
  return json_skip(json);
}

bool is_allowed_entry(const struct units *units, const char *line, size_t length) {
  struct origin origin = {"", "", ""};
  struct json json = {line, line + length};
  if (!json_object(&json, read_field, &origin) || !json_is_over(&json)) return false;
  // Any process can send a field UNIT; only that of systemd, process 1, is trusted.
  bool is_about = strcmp(origin.pid, "1") == 0 && origin.about[0] != '\0';
  return is_allowed_unit(units, is_about ? origin.about : origin.unit);
}

/* As in the agent (src/host/linux/systemd/unit-id.ts): the name that the journal has for a unit, of which an alias is a link to
   it; of a template a pattern. Of an instance first its own file. */
static void find_id(char *name) {
  static const char *const places[] = {"/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"};
  char path[PATH_MAX], real[PATH_MAX], id[UNIT_SIZE], instance[UNIT_SIZE] = "*";
  const char *at = strchr(name, '@'), *suffix = strrchr(name, '.');
  if (!suffix) return;
  if (at && at + 1 < suffix) snprintf(instance, sizeof instance, "%.*s", (int)(suffix - at - 1), at + 1);
  for (int is_template = 0; is_template <= (at != NULL); is_template += 1)
    for (size_t i = 0; i < sizeof places / sizeof *places; i += 1) {
      const char *end = is_template ? at + 1 : suffix;
      snprintf(path, sizeof path, UNITS_ROOT "%s/systemd/system/%.*s%s", places[i], (int)(end - name), name, suffix);
      if (!realpath(path, real)) continue;
      const char *last = strrchr(real, '/') + 1, *dot = strrchr(last, '.');
      bool has_suffix = dot && strcmp(dot, suffix) == 0;
      const char *filled = has_suffix && dot > last && dot[-1] == '@' ? instance : "";
      size_t length = has_suffix ? (size_t)snprintf(id, sizeof id, "%.*s%s%s", (int)(dot - last), last, filled, dot) : 0;
      if (length > 0 && length < sizeof id) memcpy(name, id, length + 1);
      return;
    }
  if (!at || at + 1 != suffix || strlen(name) + 1 == UNIT_SIZE) return;
  memmove(name + (suffix - name) + 1, suffix, strlen(suffix) + 1);
  name[at + 1 - name] = '*';
}

static bool read_unit(struct json *json, void *context) {
  struct units *units = context;
  char *name = units->names[units->count];
  if (units->count == MOST_UNITS - 1 || !json_text(json, name, UNIT_SIZE)) return false;
  units->count += 1;
  if (name[0] == '\0' || !consists_of(name, name_characters)) return false;
  find_id(name);
  return true;
}

static bool read_decision(struct json *json, const char *name, void *context) {
  struct units *units = context;
  if (strcmp(name, "log_units") != 0) return json_skip(json);
  // The agent refuses a file in which a member is there twice.
  if (units->is_named) return false;
  units->is_named = true;
  return json_array(json, read_unit, units);
}

/* True if only root, or the user of this process, could have written the file, and every directory on the way. */
static bool is_trusted(const char *path) {
  char resolved[PATH_MAX];
  struct stat found;
  if (!realpath(path, resolved)) return false;
  for (;;) {
    if (stat(resolved, &found) != 0 || (found.st_uid != 0 && found.st_uid != geteuid())) return false;
    // In a sticky directory other users cannot replace root's files.
    if ((found.st_mode & 022) != 0 && !(S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX))) return false;
    if (resolved[1] == '\0') return true;
    char *slash = strrchr(resolved, '/');
    slash[slash == resolved] = '\0';
  }
}

const char *read_log_units(const char *path, struct units *units) {
  static char bytes[LARGEST_FILE + 1];
  units->count = units->is_named = 0;
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? NULL : "the host file cannot be read";
  size_t length = 0;
  ssize_t more;
  while ((more = read(file, bytes + length, sizeof bytes - length)) > 0) length += (size_t)more;
  close(file);
  if (more < 0) return "the host file cannot be read";
  if (length > LARGEST_FILE) return "the host file is too large";
  if (!is_trusted(path)) return "another user than root can write the host file";
  struct json json = {bytes, bytes + length};
  // The byte order mark with which editors begin UTF-8; the agent takes it as well.
  if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) json.at += 3;
  if (json_object(&json, read_decision, units) && json_is_over(&json)) return NULL;
  units->count = 0;
  return "the host file is not valid";
}
