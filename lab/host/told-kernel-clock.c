/*
 * Preloaded, it answers readings of the kernel's clock with what the environment tells, and every other call with EPERM:
 * nothing reaches the kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/timex.h>
#include <time.h>

static long told(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

int clock_adjtime(clockid_t clock, struct timex *state) {
  if (clock != CLOCK_REALTIME || (state->modes != 0 && state->modes != ADJ_OFFSET_SS_READ) || told("TOLD_ERRNO") != 0) {
    errno = told("TOLD_ERRNO") != 0 ? (int)told("TOLD_ERRNO") : EPERM;
    return -1;
  }
  /* Only this reading tells of a slew; the other tells of the phase-locked loop. */
  state->offset = state->modes == ADJ_OFFSET_SS_READ ? told("TOLD_SLEW") : 0;
  state->status = (int)told("TOLD_STATUS");
  state->maxerror = told("TOLD_MAXERROR");
  state->esterror = told("TOLD_ESTERROR");
  state->freq = told("TOLD_FREQ");
  state->tick = told("TOLD_TICK");
  return (int)told("TOLD_RESULT");
}
