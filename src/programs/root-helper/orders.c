// The vocabulary: the lines that are orders, and the program of each. Nothing of a line becomes a path or an option.
#include "helper.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef SYSTEMCTL
#define SYSTEMCTL "/usr/bin/systemctl"
#endif

// Milliseconds: the unit's own time, and a minute.
#define INSTALL_PATIENCE (31 * 60000LL)
#define USUAL_PATIENCE 60000LL

static bool is_lower_hex(const char *text) {
  return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

static bool is_kind(const char *text) {
  return strcmp(text, "rules") == 0 || strcmp(text, "binary") == 0;
}

static bool is_verb_of_chrony(const char *text) {
  static const char *const verbs[] = {"reselect", "burst", "makestep", "authdata"};
  for (size_t at = 0; at < sizeof verbs / sizeof *verbs; at++)
    if (strcmp(text, verbs[at]) == 0) return true;
  return false;
}

static bool is_between(char character, char first, char last) { return character >= first && character <= last; }

static bool is_letter_or_digit(char character) {
  return is_between(character, 'a', 'z') || is_between(character, 'A', 'Z') || is_between(character, '0', '9');
}

// One to three parts, each with a capital first: this excludes the names in the database that are no zones (localtime,
// posixrules, right/…), and everything with a dot.
static bool is_zone_name(const char *text) {
  int parts = 1;
  bool begins = true;
  for (const char *at = text; *at; at++) {
    if (begins) {
      if (!is_between(*at, 'A', 'Z')) return false;
      begins = false;
    } else if (*at == '/') {
      parts++;
      begins = true;
    } else if (!is_letter_or_digit(*at) && !strchr("_+-", *at)) {
      return false;
    }
  }
  // The database's own word for a zone that was never set.
  return !begins && parts <= 3 && strcmp(text, "Factory") != 0;
}

// One label (RFC 1123 §2.1).
static bool is_host_name(const char *text) {
  size_t length = strlen(text);
  if (length == 0 || length > 63 || text[0] == '-' || text[length - 1] == '-') return false;
  for (const char *at = text; *at; at++)
    if (!is_letter_or_digit(*at) && *at != '-') return false;
  return true;
}

// A process and a user, as numbers.
static bool is_process_and_user(const char *text) {
  size_t process = strspn(text, "0123456789");
  const char *user = text + process + 1;
  if (process == 0 || process > 10 || text[process] != ' ') return false;
  size_t length = strspn(user, "0123456789");
  return length > 0 && length <= 10 && user[length] == '\0';
}

struct entry {
  const char *name;
  // NULL: the word has no argument.
  bool (*may_be)(const char *argument);
  // Arguments of systemctl before the unit. None: no program is needed (system-files.c).
  const char *verb[3];
  // The unit, with the argument in it; NULL: none.
  const char *unit;
  long long patience;
};

static const struct entry vocabulary[WORDS] = {
    [INSTALL] = {"install", is_lower_hex, {"start", "--"}, "steward-install@%s.service", INSTALL_PATIENCE},
    // As the agent's rollback, with its limits; root types another command.
    [ROLLBACK] = {"rollback", is_kind, {"start", "--"}, "steward-install@rollback%s.service", INSTALL_PATIENCE},
    [CHRONY] = {"chrony", is_verb_of_chrony, {"start", "--"}, "steward-chrony@%s.service", USUAL_PATIENCE},
    // Only if it runs: the agent must not start a second program that sets the clock.
    [RESTART_TIMESYNCD] =
        {"restart-timesyncd", NULL, {"try-restart", "--"}, "systemd-timesyncd.service", USUAL_PATIENCE},
    [REBOOT] = {"reboot", NULL, {"--no-block", "reboot"}, NULL, USUAL_PATIENCE},
    [POWER_OFF] = {"power-off", NULL, {"--no-block", "poweroff"}, NULL, USUAL_PATIENCE},
    // The unit takes nothing of the agent's, and changes nothing that root has decided.
    [ENABLE_HTTPS] = {"enable-https", NULL, {"start", "--"}, "steward-https.service", USUAL_PATIENCE},
    [TIME_ZONE] = {"time-zone", is_zone_name, {NULL}, NULL, 0},
    [HOST_NAME] = {"host-name", is_host_name, {NULL}, NULL, 0},
    [UNIT_OF] = {"unit-of", is_process_and_user, {NULL}, NULL, 0},
};

const char *word_name(enum word word) { return vocabulary[word].name; }

long long patience(enum word word) { return vocabulary[word].patience; }

static bool has_word(const char *line, size_t length, const char *name) {
  return length == strlen(name) && memcmp(line, name, length) == 0;
}

// `line` is without its line feed, and may hold any bytes.
bool read_order(const char *line, size_t length, struct order *order) {
  const char *space = memchr(line, ' ', length);
  size_t name_length = space ? (size_t)(space - line) : length;
  size_t argument_length = space ? length - name_length - 1 : 0;
  if (argument_length >= ARGUMENT_BYTES) return false;
  for (enum word word = 0; word < WORDS; word++) {
    const struct entry *entry = &vocabulary[word];
    if (!has_word(line, name_length, entry->name)) continue;
    if ((space != NULL) != (entry->may_be != NULL)) return false;
    order->word = word;
    memset(order->argument, 0, sizeof order->argument);
    if (!space) return true;
    memcpy(order->argument, space + 1, argument_length);
    // A NUL in it would hide the rest from code that reads it as text.
    return strlen(order->argument) == argument_length && entry->may_be(order->argument);
  }
  return false;
}

static void become_program(const char *const *arguments) {
  static const char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL};
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // execve changes none of them; it is older than const.
  execve(SYSTEMCTL, (char *const *)(size_t)arguments, (char *const *)(size_t)environment);
  _exit(127);
}

pid_t start_program(const struct order *order) {
  const struct entry *entry = &vocabulary[order->word];
  const char *arguments[8] = {"systemctl", "--no-ask-password"};
  size_t count = 2;
  for (size_t at = 0; at < 3 && entry->verb[at]; at++) arguments[count++] = entry->verb[at];
  char unit[128];
  if (entry->unit) {
    // The names of the vocabulary, in which a checked argument replaces %s.
    const char *place = strstr(entry->unit, "%s");
    int before = place ? (int)(place - entry->unit) : (int)strlen(entry->unit);
    snprintf(unit, sizeof unit, "%.*s%s%s", before, entry->unit, order->argument, place ? place + 2 : "");
    arguments[count++] = unit;
  }
  pid_t child = fork();
  if (child == 0) become_program(arguments);
  return child;
}
