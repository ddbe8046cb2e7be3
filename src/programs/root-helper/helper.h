// steward-helper: carries out the agent's orders to root.
#ifndef STEWARD_HELPER_H
#define STEWARD_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Bytes of a line, the line feed included.
#define LINE_BYTES 128
// The longest argument is the name of a time zone or of the host.
#define ARGUMENT_BYTES 64
// The longest name of a unit (systemd.unit(5)), and what ends it.
#define UNIT_BYTES 256

// The whole vocabulary. A word needs a rule for its argument.
enum word {
  INSTALL,
  ROLLBACK,
  CHRONY,
  RESTART_TIMESYNCD,
  REBOOT,
  POWER_OFF,
  ENABLE_HTTPS,
  TIME_ZONE,
  HOST_NAME,
  UNIT_OF,
  WORDS,
};

struct order {
  enum word word;
  // Empty if the word has none. Each of its characters has been checked.
  char argument[ARGUMENT_BYTES];
};

// orders.c
bool read_order(const char *line, size_t length, struct order *order);
const char *word_name(enum word word);
// Milliseconds that the program of an order may take.
long long patience(enum word word);
// Starts the program of an order, and returns its process id; -1: see errno.
pid_t start_program(const struct order *order);

// limits.c; times are milliseconds of CLOCK_BOOTTIME, which no step of the wall clock changes.
long long now(void);
// Milliseconds to wait before such an order is taken; 0: it is taken now.
long long take_order(enum word word);
// The program of such an order has run for so many milliseconds.
void charge_order(enum word word, long long duration);
// True if one more refusal may be logged.
bool take_line(void);
// Milliseconds until nothing is left to remember.
long long until_full(void);

// system-files.c: 0, or the errno of the failure.
int set_time_zone(const char *name);
int set_host_name(const char *name);

// units.c: the unit of a process of a user ("PROCESS USER"); 0, or the errno of the failure.
int find_unit(const char *process_and_user, char unit[UNIT_BYTES]);

#endif
