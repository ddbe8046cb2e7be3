/* Prints what adjtimex(2) says: status, maxerror and esterror in us, freq in 2^-16 ppm, tick in us. Sets nothing. */
#include <stdio.h>
#include <sys/timex.h>

int main(void) {
  struct timex state = {.modes = 0};
  if (adjtimex(&state) < 0) return 1;
  printf("%d %ld %ld %ld %ld\n", state.status, state.maxerror, state.esterror, state.freq, state.tick);
  return 0;
}
