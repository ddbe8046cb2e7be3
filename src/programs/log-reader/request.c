/* The line that the agent sends: `read` or `follow`, and parameters. */
#include "log-reader.h"

#include <string.h>

static const char digits[] = "0123456789";

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), rest = strlen(end);
  return length > rest && strcmp(text + length - rest, end) == 0;
}

/* The name of one unit: no pattern, which journalctl would expand. */
static bool is_unit(const char *text) {
  static const char *const kinds[] = {".service", ".timer", ".socket", ".mount", ".target"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i += 1)
    if (ends_with(text, kinds[i])) return consists_of(text, LETTERS_AND_DIGITS ":_.@\\-");
  return false;
}

/* Seconds since 1970, with three digits behind the point. */
static bool is_moment(const char *text) {
  size_t whole = strspn(text, digits);
  return whole >= 1 && whole <= 14 && text[whole] == '.' && strspn(text + whole + 1, digits) == 3 &&
         text[whole + 4] == '\0';
}

static bool is_priority(const char *text) {
  return text[0] >= '0' && text[0] <= '7' && text[1] == '\0';
}

/* systemd.journal-fields(7), __CURSOR. */
static bool is_cursor(const char *text) {
  return text[0] == 's' && consists_of(text, LETTERS_AND_DIGITS "=;");
}

/* Sets one parameter, once. */
static bool set(char *into, size_t size, const char *value, bool is_valid) {
  size_t length = strlen(value);
  if (!is_valid || into[0] != '\0' || length >= size) return false;
  memcpy(into, value, length + 1);
  return true;
}

static bool set_parameter(struct request *request, char *word) {
  char *value = strchr(word, '=');
  if (!value) {
    bool is_order = strcmp(word, "newest-first") == 0 && !request->is_following && !request->is_newest_first;
    if (is_order) request->is_newest_first = true;
    return is_order;
  }
  *value = '\0';
  value += 1;
  if (strcmp(word, "cursor") == 0) return set(request->cursor, sizeof request->cursor, value, is_cursor(value));
  if (request->is_following) return false;
  if (strcmp(word, "unit") == 0) return set(request->unit, sizeof request->unit, value, is_unit(value));
  if (strcmp(word, "since") == 0) return set(request->since, sizeof request->since, value, is_moment(value));
  if (strcmp(word, "until") == 0) return set(request->until, sizeof request->until, value, is_moment(value));
  if (strcmp(word, "priority") == 0)
    return set(request->priority, sizeof request->priority, value, is_priority(value));
  return false;
}

bool parse_request(char *line, struct request *request) {
  char *rest = NULL;
  char *word = strtok_r(line, " ", &rest);
  memset(request, 0, sizeof *request);
  if (!word) return false;
  request->is_following = strcmp(word, "follow") == 0;
  if (!request->is_following && strcmp(word, "read") != 0) return false;
  while ((word = strtok_r(NULL, " ", &rest)))
    if (!set_parameter(request, word)) return false;
  // journalctl takes one place to begin at.
  return request->cursor[0] == '\0' || request->since[0] == '\0';
}
