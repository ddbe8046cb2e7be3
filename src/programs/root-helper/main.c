// steward-helper: the one way from the agent to root. systemd starts it with its socket (steward-helper.socket) when the
// agent connects; it takes one line of a fixed vocabulary, does it, answers with one line, and leaves when it is idle:
//   ok · unit NAME · refused · limited SECONDS · failed CODE
#include "helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

// The first descriptor that systemd passes (sd_listen_fds(3)).
#define LISTENER 3
#define ORDERS_AT_ONCE 8
// Milliseconds.
#define LINE_PATIENCE 2000
#ifndef IDLE_PATIENCE
#define IDLE_PATIENCE 10000
#endif

// The connection whose line is being read: one at a time.
static struct {
  int socket;
  struct ucred peer;
  long long deadline;
  size_t length;
  char line[LINE_BYTES];
} client = {.socket = -1};

// Orders whose programs run; their connections wait for the answer.
static struct running {
  pid_t program;
  int socket;
  long long deadline;
  // The time from which on its duration has not been charged.
  long long since;
  enum word word;
} running[ORDERS_AT_ONCE];

// The user besides root who may give orders.
static uid_t owner;
static long long last_work;
// The time by which it must have ended after SIGTERM; 0: it stays.
static long long leaving;
static unsigned long lines_left_out;

static void answer(int connection, const char *text) {
  // A peer that has left misses it; the helper waits for no peer.
  (void)!send(connection, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
  close(connection);
  last_work = now();
}

static void answer_number(int connection, const char *word, long long number) {
  char text[48];
  snprintf(text, sizeof text, "%s %lld\n", word, number);
  answer(connection, text);
}

static int take_client(void) {
  int connection = client.socket;
  client.socket = -1;
  return connection;
}

// Without the text of the peer, and not more often than limits.c allows.
static void log_refusal(const char *why) {
  if (!take_line()) {
    lines_left_out++;
    return;
  }
  if (lines_left_out > 0) fprintf(stderr, "<4>%lu refusals before this one were not logged\n", lines_left_out);
  lines_left_out = 0;
  fprintf(stderr, "<4>refused to user %u, process %d: %s\n", client.peer.uid, client.peer.pid, why);
}

static void refuse(const char *why) {
  log_refusal(why);
  answer(take_client(), "refused\n");
}

static const char *error_name(int failure) {
  const char *name = strerrorname_np(failure);
  return name ? name : "EIO";
}

static void answer_own_work(enum word word, int failure) {
  if (failure == 0) {
    answer(take_client(), "ok\n");
    return;
  }
  char text[48];
  snprintf(text, sizeof text, "failed %s\n", error_name(failure));
  fprintf(stderr, "<3>%s failed: %s\n", word_name(word), strerror(failure));
  answer(take_client(), text);
}

// Without a line in the log: each process of the device may open the product's socket, however often.
static void answer_unit(const char *process_and_user) {
  char unit[UNIT_BYTES], text[UNIT_BYTES + 8];
  int failure = find_unit(process_and_user, unit);
  snprintf(text, sizeof text, failure ? "failed %s\n" : "unit %s\n", failure ? error_name(failure) : unit);
  answer(take_client(), text);
}

static struct running *free_place(void) {
  for (size_t at = 0; at < ORDERS_AT_ONCE; at++)
    if (running[at].program == 0) return &running[at];
  return NULL;
}

static void perform(const struct order *order) {
  struct running *place = free_place();
  long long wait = place ? take_order(order->word) : 1000;
  if (wait > 0) {
    log_refusal("too many orders");
    answer_number(take_client(), "limited", (wait + 999) / 1000);
    return;
  }
  if (order->word == UNIT_OF) {
    answer_unit(order->argument);
    return;
  }
  fprintf(stderr, "<5>user %u, process %d: %s%s%s\n", client.peer.uid, client.peer.pid, word_name(order->word),
          *order->argument ? " " : "", order->argument);
  if (order->word == TIME_ZONE || order->word == HOST_NAME) {
    int (*set)(const char *) = order->word == TIME_ZONE ? set_time_zone : set_host_name;
    answer_own_work(order->word, set(order->argument));
    return;
  }
  pid_t program = start_program(order);
  if (program < 0)
    answer_own_work(order->word, errno);
  else
    *place = (struct running){program, take_client(), now() + patience(order->word), now(), order->word};
}

static void accept_client(void) {
  client.socket = accept4(LISTENER, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client.socket < 0) return;
  client.length = 0;
  client.deadline = now() + LINE_PATIENCE;
  socklen_t size = sizeof client.peer;
  if (getsockopt(client.socket, SOL_SOCKET, SO_PEERCRED, &client.peer, &size) < 0) close(take_client());
}

static void read_client(void) {
  ssize_t got = read(client.socket, client.line + client.length, sizeof client.line - client.length);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    close(take_client());
    last_work = now();
    return;
  }
  client.length += (size_t)got;
  const char *end = memchr(client.line, '\n', client.length);
  if (!end && client.length < sizeof client.line) return;
  struct order order;
  // One line, and nothing after it.
  bool is_line = end && end + 1 == client.line + client.length;
  // The mode of the socket already keeps others out.
  if (client.peer.uid != owner && client.peer.uid != 0)
    refuse("not a user who may order");
  else if (is_line && read_order(client.line, client.length - 1, &order))
    perform(&order);
  else
    refuse("outside of the vocabulary");
}

// The time of programs that run side by side counts once: one of them waits for the other.
static void charge(const struct running *ended) {
  long long present = now();
  charge_order(ended->word, present - ended->since);
  for (size_t at = 0; at < ORDERS_AT_ONCE; at++)
    if (running[at].word == ended->word) running[at].since = present;
}

static void end_program(struct running *one, int status) {
  charge(one);
  // As shells count a signal.
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  one->program = 0;
  if (code == 0) {
    answer(one->socket, "ok\n");
    return;
  }
  fprintf(stderr, "<3>%s failed with %d\n", word_name(one->word), code);
  answer_number(one->socket, "failed", code);
}

static void end_programs(void) {
  int status;
  for (pid_t program; (program = waitpid(-1, &status, WNOHANG)) > 0;)
    for (size_t at = 0; at < ORDERS_AT_ONCE; at++)
      if (running[at].program == program) end_program(&running[at], status);
}

// Ends programs that take too long; a job that they have requested continues.
static void end_late(void) {
  long long present = now();
  if (client.socket >= 0 && present >= client.deadline) refuse("no line in time");
  for (size_t at = 0; at < ORDERS_AT_ONCE; at++) {
    if (running[at].program == 0 || present < running[at].deadline) continue;
    kill(running[at].program, SIGKILL);
    running[at].deadline = present + LINE_PATIENCE;
  }
}

static bool is_idle(void) {
  if (client.socket >= 0) return false;
  for (size_t at = 0; at < ORDERS_AT_ONCE; at++)
    if (running[at].program) return false;
  return true;
}

// A restart or a power-off ends the helper itself: its answer, and results of the next moment, are still sent.
static void take_signals(int signals) {
  struct signalfd_siginfo signal;
  while (read(signals, &signal, sizeof signal) > 0)
    if (signal.ssi_signo == SIGTERM && leaving == 0) leaving = now() + LINE_PATIENCE;
  end_programs();
}

// Milliseconds until something is due.
static long long until_due(void) {
  long long present = now();
  if (leaving > 0) return is_idle() || leaving < present ? 0 : leaving - present;
  if (is_idle()) {
    long long idle = last_work + IDLE_PATIENCE - present, full = until_full();
    long long longer = idle > full ? idle : full;
    return longer > 0 ? longer : 0;
  }
  long long due = client.socket >= 0 ? client.deadline : present + INT32_MAX;
  for (size_t at = 0; at < ORDERS_AT_ONCE; at++)
    if (running[at].program && running[at].deadline < due) due = running[at].deadline;
  return due > present ? due - present : 0;
}

static void serve(int signals) {
  for (;;) {
    long long wait = until_due();
    if (wait == 0 && leaving > 0) return;
    bool is_last = wait == 0 && is_idle();
    bool accepts = client.socket < 0;
    // poll() ignores a descriptor of -1.
    int connection = !accepts ? client.socket : leaving > 0 ? -1 : LISTENER;
    struct pollfd watched[2] = {{signals, POLLIN, 0}, {connection, POLLIN, 0}};
    int ready = poll(watched, 2, wait > INT32_MAX ? INT32_MAX : (int)wait);
    // A connection from now on makes systemd start it again.
    if (ready == 0 && is_last) return;
    take_signals(signals);
    if (ready > 0 && watched[1].revents) (accepts ? accept_client : read_client)();
    end_late();
  }
}

// The owner of the socket may give orders: SocketUser= of the unit.
static bool find_owner(void) {
  struct sockaddr_un address = {0};
  socklen_t size = sizeof address - 1;
  struct stat file;
  if (getsockname(LISTENER, (struct sockaddr *)&address, &size) < 0 || address.sun_family != AF_UNIX) return false;
  if (lstat(address.sun_path, &file) < 0 || !S_ISSOCK(file.st_mode)) return false;
  owner = file.st_uid;
  return true;
}

static bool is_activated(void) {
  const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
  if (!pid || !count || strtol(pid, NULL, 10) != (long)getpid() || strcmp(count, "1") != 0) return false;
  return fcntl(LISTENER, F_SETFD, FD_CLOEXEC) == 0 && fcntl(LISTENER, F_SETFL, O_NONBLOCK) == 0;
}

int main(void) {
  if (!is_activated() || !find_owner()) {
    fputs("steward-helper: systemd starts it with its socket; start steward-helper.socket\n", stderr);
    return 2;
  }
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGCHLD);
  sigaddset(&taken, SIGTERM);
  sigprocmask(SIG_BLOCK, &taken, NULL);
  int signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) {
    perror("steward-helper: signalfd");
    return 1;
  }
  last_work = now();
  serve(signals);
  return 0;
}
