/* steward-logs: reads the journal for the agent, and only the part that root allows. */
#ifndef LOG_READER_H
#define LOG_READER_H

#include <stdbool.h>
#include <stddef.h>

/* Characters of a unit's name and of a cursor, with the end of the text. */
enum { UNIT_SIZE = 144, CURSOR_SIZE = 256, MOMENT_SIZE = 24, MOST_UNITS = 256 };

#define LETTERS_AND_DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

bool consists_of(const char *text, const char *characters);
/* By the monotonic clock. */
long long milliseconds_now(void);

/* Units besides those of Steward whose entries may be read. */
struct units {
  bool is_named;
  size_t count;
  char names[MOST_UNITS][UNIT_SIZE];
};

/* A request of the agent; an empty text is a parameter that it left out. */
struct request {
  bool is_following;
  bool is_newest_first;
  char unit[UNIT_SIZE];
  char since[MOMENT_SIZE];
  char until[MOMENT_SIZE];
  char priority[2];
  char cursor[CURSOR_SIZE];
};

/* Bytes that are read as JSON, from `at` on. */
struct json {
  const char *at;
  const char *end;
};

/* Reads the value at which `json` is. False: it is not the expected one, and all of the text is refused. */
typedef bool read_member(struct json *json, const char *name, void *context);
typedef bool read_element(struct json *json, void *context);

bool json_object(struct json *json, read_member *member, void *context);
bool json_array(struct json *json, read_element *element, void *context);
/* A string that fits and has no escape but that of a backslash; any other string is read as an empty text. */
bool json_text(struct json *json, char *into, size_t size);
bool json_skip(struct json *json);
/* True if only white space is left. */
bool json_is_over(struct json *json);

/* `line` is changed. False: it is not in the vocabulary. */
bool parse_request(char *line, struct request *request);

/* Reads the host file's log_units; an absent file names none. Returns NULL, or the reason why the file is not used. */
const char *read_log_units(const char *path, struct units *units);

bool is_allowed_unit(const struct units *units, const char *name);
/* `line`: an entry as journalctl --output=json prints it. */
bool is_allowed_entry(const struct units *units, const char *line, size_t length);

/* Answers one connection, and ends this process. `options` go to journalctl before all others. */
_Noreturn void serve(int client, const char *host_file, char *const *options);

#endif
