/*
 * steward-logs HOST-FILE [OPTION]…: started by systemd for steward-logs.socket, which only the agent can open. A
 * process for each connection; ends when there has been none for half a minute. Options are those of journalctl.
 */
#include "log-reader.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
  /* The first descriptor that systemd passes (sd_listen_fds(3)). */
  LISTENER = 3,
  MOST_CONNECTIONS = 8,
  IDLE_SECONDS = 30,
  /* Readings that may begin at once, and milliseconds until one more may. */
  MOST_AT_ONCE = 40,
  PAUSE_MILLISECONDS = 200
};

static void wake(int signal_number) {
  (void)signal_number;
}

long long milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* Each reading costs a process: however often the agent asks, they begin at this pace (a token bucket). */
static void pace(void) {
  static long long used_up_to;
  long long now = milliseconds_now(), earliest = now - (long long)MOST_AT_ONCE * PAUSE_MILLISECONDS;
  if (used_up_to < earliest) used_up_to = earliest;
  used_up_to += PAUSE_MILLISECONDS;
  if (used_up_to <= now) return;
  struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)(used_up_to - now) * 1000000L};
  nanosleep(&pause, NULL);
}

static int reap(int connections) {
  while (waitpid(-1, NULL, WNOHANG) > 0) connections -= 1;
  return connections;
}

enum event { CONNECTION, END_OF_CHILD, IDLE };

/* While there are as many connections as allowed, further ones wait in the socket's queue. */
static enum event wait_for_event(int connections, const sigset_t *usual_signals) {
  struct pollfd listener = {.fd = LISTENER, .events = connections < MOST_CONNECTIONS ? POLLIN : 0};
  const struct timespec idle = {.tv_sec = IDLE_SECONDS};
  int ready = ppoll(&listener, 1, connections > 0 ? NULL : &idle, usual_signals);
  if (ready < 0 && errno != EINTR) exit(1);
  if (ready < 0) return END_OF_CHILD;
  return ready == 0 ? IDLE : CONNECTION;
}

/* Returns the number of connections that it has begun. */
static int take_connection(char *const *words, const sigset_t *usual_signals) {
  int client = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC);
  if (client < 0) return 0;
  pace();
  pid_t child = fork();
  if (child == 0) {
    close(LISTENER);
    sigprocmask(SIG_SETMASK, usual_signals, NULL);
    serve(client, words[1], words + 2);
  }
  close(client);
  return child > 0 ? 1 : 0;
}

int main(int count, char **words) {
  const char *passed = getenv("LISTEN_FDS");
  if (count < 2 || !passed || strcmp(passed, "1") != 0) {
    fputs("usage: steward-logs HOST-FILE [JOURNALCTL-OPTION]…, started by systemd with a socket\n", stderr);
    return 2;
  }
  sigset_t child_signal, usual_signals;
  struct sigaction action = {.sa_handler = wake};
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, &usual_signals);
  sigaction(SIGCHLD, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  int connections = 0;
  enum event event;
  while ((event = wait_for_event(connections, &usual_signals)) != IDLE) {
    connections = reap(connections);
    if (event == CONNECTION) connections += take_connection(words, &usual_signals);
  }
  return 0;
}
