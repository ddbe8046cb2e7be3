/* One connection: reads the request, runs journalctl, and passes on those of its entries that may be read. */
#include "log-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  LONGEST_REQUEST = 512,
  /* Seconds for the request to come, and for the agent to take an answer. */
  PATIENCE = 10,
  /* Milliseconds for all of a reading; the agent gives up after five seconds. */
  LONGEST_READING = 15000,
  /* Characters of JSON of one entry; a longer one is left out. */
  LONGEST_ENTRY = 1 << 20,
  MOST_OPTIONS = 32
};

/* The fields that are passed on, besides the cursor and the times: as in the agent's journal-entry.ts. */
static const char output_fields[] =
    "--output-fields=MESSAGE,PRIORITY,STEWARD_COPY,STEWARD_JSON,SYSLOG_IDENTIFIER,UNIT,_COMM,_PID,_SYSTEMD_UNIT";

static _Noreturn void answer(int client, const char *word, const char *reason) {
  dprintf(client, "%s%s%s\n", word, *reason ? " " : "", reason);
  exit(0);
}

static void read_request(int client, const struct units *units, struct request *request) {
  char line[LONGEST_REQUEST];
  size_t length = 0;
  char *end = NULL;
  while (!end && length < LONGEST_REQUEST) {
    ssize_t more = read(client, line + length, LONGEST_REQUEST - length);
    if (more <= 0) exit(0);
    length += (size_t)more;
    end = memchr(line, '\n', length);
  }
  if (end) *end = '\0';
  if (!end || strlen(line) != (size_t)(end - line) || !parse_request(line, request)) answer(client, "refused", "not in the vocabulary");
  if (request->unit[0] != '\0' && !is_allowed_unit(units, request->unit))
    answer(client, "refused", "log_units of the host file does not name this unit");
}

/* The arguments of journalctl. Each value is part of one, so that none can become an option. */
struct words {
  size_t count;
  char *list[MOST_UNITS + MOST_OPTIONS];
};

static void add(struct words *words, const char *before, const char *value) {
  if (words->count + 1 == sizeof words->list / sizeof *words->list) exit(1);
  if (asprintf(&words->list[words->count], "%s%s", before, value) < 0) exit(1);
  words->count += 1;
}

static void add_units(struct words *words, const struct request *request, const struct units *units) {
  if (request->unit[0] != '\0') {
    add(words, "--unit=", request->unit);
    return;
  }
  add(words, "--unit=", "steward.service");
  add(words, "--unit=", "steward-*.service");
  for (size_t i = 0; i < units->count; i += 1) add(words, "--unit=", units->names[i]);
}

static void add_reading(struct words *words, const struct request *request, const struct units *units) {
  add_units(words, request, units);
  if (request->is_newest_first) add(words, "--reverse", "");
  if (request->since[0] != '\0') add(words, "--since=@", request->since);
  if (request->until[0] != '\0') add(words, "--until=@", request->until);
  if (request->priority[0] != '\0') add(words, "--priority=", request->priority);
  if (request->cursor[0] != '\0') add(words, "--cursor=", request->cursor);
}

/* Not by unit: journalctl expands a pattern once, and would miss an update's unit that is made later. */
static void add_following(struct words *words, const struct request *request) {
  add(words, "--follow", "");
  if (request->cursor[0] == '\0')
    add(words, "--no-tail", "");
  else
    add(words, "--after-cursor=", request->cursor);
}

/* Starts journalctl, and returns the descriptor of its output. */
static int start(const struct request *request, const struct units *units, char *const *options, pid_t *child) {
  static struct words words;
  // --all: without it a field of more than 4 KiB comes as null. +steward: with the namespace of the audit lines.
  static const char *const common[] = {"journalctl",  "--namespace=+steward", "--output=json",
                                       output_fields, "--all",                "--quiet",
                                       "--no-pager"};
  for (size_t i = 0; i < sizeof common / sizeof *common; i += 1) add(&words, common[i], "");
  for (; *options; options += 1) add(&words, *options, "");
  if (request->is_following)
    add_following(&words, request);
  else
    add_reading(&words, request, units);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 || (*child = fork()) < 0) exit(1);
  if (*child > 0) {
    close(ends[1]);
    return ends[0];
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGPIPE, SIG_DFL);
  int nothing = open("/dev/null", O_RDONLY);
  if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(ends[1], 1) < 0) _exit(126);
  execv("/usr/bin/journalctl", words.list);
  _exit(127);
}

/* Passes on the whole lines in `buffer`; returns the number of bytes of the last one, which are moved to its start. */
static size_t hand_on(char *buffer, size_t length, bool *is_skipping, const struct units *units, FILE *out) {
  char *line = buffer, *end;
  while ((end = memchr(line, '\n', length - (size_t)(line - buffer)))) {
    size_t size = (size_t)(end - line);
    if (!*is_skipping && is_allowed_entry(units, line, size)) fwrite(line, 1, size + 1, out);
    *is_skipping = false;
    line = end + 1;
  }
  size_t rest = length - (size_t)(line - buffer);
  if (rest == LONGEST_ENTRY) {
    *is_skipping = true;
    return 0;
  }
  memmove(buffer, line, rest);
  return rest;
}

/* Runs to the end of journalctl's output. Ends this process if the agent has gone, or the time is over. */
static void relay(int journal, int client, bool is_following, const struct units *units) {
  static char buffer[LONGEST_ENTRY];
  size_t length = 0;
  bool is_skipping = false;
  long long deadline = milliseconds_now() + LONGEST_READING;
  FILE *out = fdopen(dup(client), "w");
  if (!out) exit(1);
  for (;;) {
    struct pollfd ends[] = {{.fd = journal, .events = POLLIN}, {.fd = client, .events = 0}};
    if (poll(ends, 2, is_following ? -1 : 1000) < 0 && errno != EINTR) exit(1);
    if (ends[1].revents != 0 || (!is_following && milliseconds_now() >= deadline)) exit(0);
    if (ends[0].revents == 0) continue;
    ssize_t more = read(journal, buffer + length, LONGEST_ENTRY - length);
    if (more == 0) break;
    if (more < 0) exit(1);
    length = hand_on(buffer, length + (size_t)more, &is_skipping, units, out);
    if (fflush(out) != 0) exit(0);
  }
  if (fclose(out) != 0) exit(0);
}

_Noreturn void serve(int client, const char *host_file, char *const *options) {
  static struct units units;
  struct request request;
  struct timeval patience = {.tv_sec = PATIENCE};
  if (setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0) exit(1);
  const char *reason = read_log_units(host_file, &units);
  // Without it only the units that root decides about are missing.
  if (reason) fprintf(stderr, "<4>%s: only the log of Steward itself can be read\n", reason);
  // Ends a connection over which no request comes.
  alarm(PATIENCE);
  read_request(client, &units, &request);
  alarm(0);
  pid_t child;
  int status, journal = start(&request, &units, options, &child);
  relay(journal, client, request.is_following, &units);
  if (waitpid(child, &status, 0) != child) exit(1);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) answer(client, "end", "");
  answer(client, "failed", "journalctl could not read the journal");
}
