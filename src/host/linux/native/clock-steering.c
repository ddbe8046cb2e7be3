/*
 * The host's clock for Node: a few functions over clock_gettime(2) and clock_adjtime(2). Arguments and results are
 * numbers and arrays of doubles that the caller owns; clock-driver.ts decides what is allowed.
 */
#include "addon.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

/* Converts a number to the type of the member in this C library. */
#define FIT(member, value) ((__typeof__(member))(value))

/* Seconds. A step of 285 years still fits into 64-bit nanoseconds. */
static const double greatest_step = 9e9;
/* Seconds, as in glibc's adjtime(3): the range of a 32-bit long in microseconds. */
static const double greatest_slew = 2147.0;
/* Parts per million: the kernel's MAXFREQ. */
static const double greatest_frequency = 500.0;
/* Seconds: the kernel's NTP_PHASE_LIMIT; with a larger error it always marks the clock unsynchronised. */
static const double greatest_error = 16.0;

/* The kernel's frequency counts 2^-16 ppm. */
static const double frequency_unit = 65536.0;

/* The flags of disciplines in the kernel: the phase-locked and frequency-locked loops, and a pulse per second. */
#define DISCIPLINE (STA_PLL | STA_FLL | STA_FREQHOLD | STA_PPSFREQ | STA_PPSTIME)

/* Reads exactly `count` finite numbers, or throws EINVAL. */
static bool numbers(napi_env env, napi_callback_info info, const char *what, size_t count, double *out) {
  napi_value given[4];
  size_t length = count;
  bool is_good = napi_get_cb_info(env, info, &length, given, NULL, NULL) == napi_ok && length == count;
  for (size_t i = 0; is_good && i < count; i += 1)
    is_good = napi_get_value_double(env, given[i], &out[i]) == napi_ok && isfinite(out[i]);
  if (!is_good) fail(env, what, EINVAL);
  return is_good;
}

/* The doubles of the only argument, a Float64Array of at least `count`; NULL after throwing EINVAL. */
static double *doubles(napi_env env, napi_callback_info info, const char *what, size_t count) {
  napi_value given;
  napi_typedarray_type type;
  size_t length = 1;
  void *place = NULL;
  if (napi_get_cb_info(env, info, &length, &given, NULL, NULL) != napi_ok || length != 1 ||
      napi_get_typedarray_info(env, given, &type, &length, &place, NULL, NULL) != napi_ok ||
      type != napi_float64_array || length < count) {
    fail(env, what, EINVAL);
    return NULL;
  }
  return place;
}

static double seconds_of(const struct timespec *time) {
  return (double)time->tv_sec + (double)time->tv_nsec * 1e-9;
}

/*
 * now(Float64Array(2)): [0] CLOCK_REALTIME, [1] CLOCK_BOOTTIME, in seconds. The wall clock is read between two readings
 * of the other, whose middle counts; the closest of four tries is used, as the process may lose the processor within
 * one.
 */
napi_value clock_now(napi_env env, napi_callback_info info) {
  double *out = doubles(env, info, "now", 2);
  double closest = HUGE_VAL;
  if (out == NULL) return NULL;
  for (int tries = 0; tries < 4; tries += 1) {
    struct timespec before, wall, after;
    if (clock_gettime(CLOCK_BOOTTIME, &before) != 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
        clock_gettime(CLOCK_BOOTTIME, &after) != 0)
      return fail(env, "clock_gettime", errno);
    double gap = seconds_of(&after) - seconds_of(&before);
    if (gap >= closest) continue;
    closest = gap;
    out[0] = seconds_of(&wall);
    out[1] = seconds_of(&before) + gap / 2;
  }
  return NULL;
}

/*
 * read(Float64Array(6)): [0] 1 synchronised, [1] maxerror and [2] esterror in seconds, [3] frequency in ppm, [4] the
 * rest of a slew in seconds, [5] leap second at the end of the day (1 inserted, -1 deleted). Needs no capability:
 * ADJ_OFFSET_SS_READ changes nothing, and fills in all other members besides the slew.
 */
napi_value clock_read(napi_env env, napi_callback_info info) {
  double *out = doubles(env, info, "read", 6);
  struct timex state = {.modes = ADJ_OFFSET_SS_READ};
  if (out == NULL) return NULL;
  int phase = clock_adjtime(CLOCK_REALTIME, &state);
  if (phase < 0) return fail(env, "clock_adjtime", errno);
  out[0] = (state.status & STA_UNSYNC) == 0;
  out[1] = (double)state.maxerror / 1e6;
  out[2] = (double)state.esterror / 1e6;
  /* chronyd sets most of a large frequency by the length of the tick, a hundred ppm for each microsecond. */
  out[3] = (double)state.freq / frequency_unit + ((double)state.tick * (double)sysconf(_SC_CLK_TCK) - 1e6);
  out[4] = (double)state.offset / 1e6;
  /* TIME_WAIT: the leap second has happened, and the flag that announced it is still set. */
  out[5] = phase == TIME_WAIT ? 0 : (state.status & STA_INS) != 0 ? 1 : (state.status & STA_DEL) != 0 ? -1 : 0;
  return NULL;
}

/* Applies it; false after throwing. */
static bool adjust(napi_env env, struct timex *wanted) {
  if (clock_adjtime(CLOCK_REALTIME, wanted) >= 0) return true;
  fail(env, "clock_adjtime", errno);
  return false;
}

/* step(seconds). The kernel also drops the rest of a slew, and sets STA_UNSYNC and an error of 16 s. */
napi_value clock_step(napi_env env, napi_callback_info info) {
  double seconds;
  if (!numbers(env, info, "step", 1, &seconds)) return NULL;
  if (fabs(seconds) > greatest_step) return fail(env, "step", ERANGE);
  int64_t nanoseconds = (int64_t)(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
  int64_t whole = nanoseconds / 1000000000;
  int64_t rest = nanoseconds % 1000000000;
  /* The nanoseconds are never negative: -1.25 s are -2 s and 750,000,000 ns. */
  if (rest < 0) {
    rest += 1000000000;
    whole -= 1;
  }
  struct timex wanted = {.modes = ADJ_SETOFFSET | ADJ_NANO};
  wanted.time.tv_sec = FIT(wanted.time.tv_sec, whole);
  wanted.time.tv_usec = FIT(wanted.time.tv_usec, rest);
  adjust(env, &wanted);
  return NULL;
}

/*
 * slew(seconds): replaces the rest of the last slew, and ends when it is used up. At the start of each second the kernel
 * takes 500 us of it and spreads them over that second: these no longer belong to the rest, and a slew that replaces this
 * one does not undo them.
 */
napi_value clock_slew(napi_env env, napi_callback_info info) {
  double seconds;
  if (!numbers(env, info, "slew", 1, &seconds)) return NULL;
  if (fabs(seconds) > greatest_slew) return fail(env, "slew", ERANGE);
  struct timex wanted = {.modes = ADJ_OFFSET_SINGLESHOT};
  wanted.offset = FIT(wanted.offset, seconds * 1e6 + (seconds < 0 ? -0.5 : 0.5));
  adjust(env, &wanted);
  return NULL;
}

/*
 * setFrequency(ppm): returns what the kernel has set.
 *
 * The state that an earlier discipline left in the kernel would work against this one. In kernel/time/ntp.c a phase
 * offset is worked off second by second even after STA_PLL is cleared, and only an offset given while STA_PLL is set
 * replaces it. So an offset of 0 is given under STA_PLL first (which does not change the frequency, because both loops
 * multiply by it), and then the flag is cleared. STA_PPSFREQ and STA_PPSTIME let a pulse per second overwrite frequency
 * and slew. STA_FLL and STA_FREQHOLD mean nothing without STA_PLL, but would affect the next program that sets it. A tick
 * of another than the nominal length is a frequency too, up to ten per cent if a daemon was killed while it slewed.
 */
napi_value clock_set_frequency(napi_env env, napi_callback_info info) {
  double ppm;
  napi_value result = NULL;
  if (!numbers(env, info, "setFrequency", 1, &ppm)) return NULL;
  if (fabs(ppm) > greatest_frequency) return fail(env, "setFrequency", ERANGE);
  struct timex wanted = {.modes = 0};
  if (!adjust(env, &wanted)) return NULL;
  int status = wanted.status & ~DISCIPLINE;
  if (wanted.offset != 0) {
    struct timex nothing = {.modes = ADJ_STATUS | ADJ_OFFSET, .status = status | STA_PLL, .offset = 0};
    if (!adjust(env, &nothing)) return NULL;
  }
  wanted.modes = ADJ_FREQUENCY | ADJ_TICK;
  /* Only if needed: writing the flags races with those that the kernel sets, such as STA_UNSYNC. */
  if (wanted.offset != 0 || wanted.status != status) wanted.modes |= ADJ_STATUS;
  wanted.status = status;
  wanted.freq = FIT(wanted.freq, ppm * frequency_unit + (ppm < 0 ? -0.5 : 0.5));
  wanted.tick = FIT(wanted.tick, 1000000 / sysconf(_SC_CLK_TCK));
  if (adjust(env, &wanted)) napi_create_double(env, (double)wanted.freq / frequency_unit, &result);
  return result;
}

static double microseconds_of(double seconds) {
  return (seconds > greatest_error ? greatest_error : seconds) * 1e6 + 0.5;
}

/* setQuality(synchronised, maxerror, esterror, leap): errors in seconds; leap 1 inserted, -1 deleted, 0 none. */
napi_value clock_set_quality(napi_env env, napi_callback_info info) {
  double given[4];
  if (!numbers(env, info, "setQuality", 4, given)) return NULL;
  if (given[1] < 0 || given[2] < 0) return fail(env, "setQuality", EINVAL);
  struct timex wanted = {.modes = 0};
  if (!adjust(env, &wanted)) return NULL;
  wanted.modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR;
  wanted.status &= ~(STA_UNSYNC | STA_INS | STA_DEL);
  wanted.status |= (given[0] == 0 ? STA_UNSYNC : 0) | (given[3] > 0 ? STA_INS : given[3] < 0 ? STA_DEL : 0);
  wanted.maxerror = FIT(wanted.maxerror, microseconds_of(given[1]));
  wanted.esterror = FIT(wanted.esterror, microseconds_of(given[2]));
  adjust(env, &wanted);
  return NULL;
}
