// The rate of each word: a bucket, full at the start of the helper, which stays until all are full again. A bucket
// holds more than a person needs within minutes, and fills at a rate at which an agent under an attacker's control
// costs the device little. An order that keeps the disk busy costs more, the longer its program runs: IOWeight= of the
// slice counts only if the kernel's scheduler uses it, and this holds for each disk.
#include "helper.h"

#include <time.h>

struct bucket {
  int orders;
  // Milliseconds for one more.
  long long interval;
  // An order costs so many times the duration of its program, if that is more: with 3, such programs run a third of the
  // time at most.
  int rest;
  // Milliseconds until it is full.
  long long missing;
  long long at;
};

#define SECONDS *1000LL
#ifndef INSTALL_INTERVAL
#define INSTALL_INTERVAL 120 SECONDS
#endif

static struct bucket buckets[WORDS] = {
    // Each verifies and copies up to a gigabyte.
    [INSTALL] = {.orders = 12, .interval = INSTALL_INTERVAL, .rest = 3},
    [ROLLBACK] = {.orders = 6, .interval = 120 SECONDS, .rest = 3},
    [CHRONY] = {.orders = 20, .interval = 10 SECONDS},
    [RESTART_TIMESYNCD] = {.orders = 10, .interval = 20 SECONDS},
    [REBOOT] = {.orders = 2, .interval = 300 SECONDS},
    [POWER_OFF] = {.orders = 2, .interval = 300 SECONDS},
    [ENABLE_HTTPS] = {.orders = 5, .interval = 60 SECONDS},
    [TIME_ZONE] = {.orders = 10, .interval = 60 SECONDS},
    [HOST_NAME] = {.orders = 10, .interval = 60 SECONDS},
    // Two reads of /proc for each connection to the product's socket, of which the agent lets one user have few.
    [UNIT_OF] = {.orders = 200, .interval = 20},
};

static struct bucket lines = {.orders = 20, .interval = 30 SECONDS};

long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static void fill(struct bucket *bucket) {
  long long present = now();
  long long missing = bucket->missing - (present - bucket->at);
  bucket->missing = missing > 0 ? missing : 0;
  bucket->at = present;
}

// Milliseconds to wait; 0: there was one.
static long long take(struct bucket *bucket) {
  fill(bucket);
  long long wait = bucket->missing + bucket->interval - bucket->orders * bucket->interval;
  if (wait > 0) return wait;
  bucket->missing += bucket->interval;
  return 0;
}

long long take_order(enum word word) { return take(&buckets[word]); }

void charge_order(enum word word, long long duration) {
  struct bucket *bucket = &buckets[word];
  long long more = bucket->rest * duration - bucket->interval;
  fill(bucket);
  if (more > 0) bucket->missing += more;
}

bool take_line(void) { return take(&lines) == 0; }

long long until_full(void) {
  long long longest = 0;
  for (int at = 0; at <= WORDS; at++) {
    struct bucket *bucket = at < WORDS ? &buckets[at] : &lines;
    fill(bucket);
    if (bucket->missing > longest) longest = bucket->missing;
  }
  return longest;
}
