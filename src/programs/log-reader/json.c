/* Reads JSON (RFC 8259) from memory, without making anything of it. */
#include "log-reader.h"

#include <string.h>

/* Nested values, as deep as neither a host file nor an entry ever is. */
enum { DEEPEST = 32 };

static bool skip(struct json *json, int depth);

static void skip_space(struct json *json) {
  while (json->at < json->end && memchr(" \t\r\n", *json->at, 4)) json->at += 1;
}

static bool take(struct json *json, char wanted) {
  skip_space(json);
  if (json->at == json->end || *json->at != wanted) return false;
  json->at += 1;
  return true;
}

bool json_is_over(struct json *json) {
  skip_space(json);
  return json->at == json->end;
}

bool json_text(struct json *json, char *into, size_t size) {
  if (!take(json, '"')) return false;
  size_t length = 0;
  bool is_plain = true;
  for (; json->at < json->end && *json->at != '"'; json->at += 1) {
    if ((unsigned char)*json->at < ' ') return false;
    if (*json->at == '\\') {
      json->at += 1;
      if (json->at == json->end) return false;
      // In names of units it is systemd's own escape.
      is_plain = is_plain && *json->at == '\\';
    }
    if (length + 1 < size) into[length] = *json->at;
    length += 1;
  }
  if (json->at == json->end) return false;
  json->at += 1;
  if (size > 0) into[is_plain && length < size ? length : 0] = '\0';
  return true;
}

bool json_object(struct json *json, read_member *member, void *context) {
  char name[64];
  if (!take(json, '{')) return false;
  if (take(json, '}')) return true;
  do {
    if (!json_text(json, name, sizeof name) || !take(json, ':') || !member(json, name, context)) return false;
  } while (take(json, ','));
  return take(json, '}');
}

bool json_array(struct json *json, read_element *element, void *context) {
  if (!take(json, '[')) return false;
  if (take(json, ']')) return true;
  do {
    if (!element(json, context)) return false;
  } while (take(json, ','));
  return take(json, ']');
}

static bool skip_element(struct json *json, void *context) {
  return skip(json, *(const int *)context + 1);
}

static bool skip_member(struct json *json, const char *name, void *context) {
  (void)name;
  return skip_element(json, context);
}

/* A number, true, false or null: the value is not used, so it is only skipped. */
static bool skip_word(struct json *json) {
  const char *start = json->at;
  while (json->at < json->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *json->at) && *json->at != '\0')
    json->at += 1;
  return json->at > start;
}

static bool skip(struct json *json, int depth) {
  if (depth > DEEPEST) return false;
  skip_space(json);
  if (json->at == json->end) return false;
  switch (*json->at) {
    case '"':
      return json_text(json, NULL, 0);
    case '{':
      return json_object(json, skip_member, &depth);
    case '[':
      return json_array(json, skip_element, &depth);
    default:
      return skip_word(json);
  }
}

bool json_skip(struct json *json) {
  return skip(json, 0);
}
