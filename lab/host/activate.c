// activate SOCKET PROGRAM: does what systemd does for a unit with a socket (sd_listen_fds(3)).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (count != 3 || strlen(words[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, words[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 16) < 0) return 3;
  if (dup2(listener, 3) < 0) return 4;
  char pid[16];
  snprintf(pid, sizeof pid, "%d", (int)getpid());
  setenv("LISTEN_PID", pid, 1);
  setenv("LISTEN_FDS", "1", 1);
  if (write(1, "ready\n", 6) != 6) return 6;
  execl(words[2], words[2], (char *)NULL);
  return 5;
}
