/*
 * receive-datagram PATH [COUNT]: binds a unix datagram socket (@NAME: abstract), says "ready", and prints the first
 * datagram that comes within a minute; with COUNT that many, each behind a record separator (0x1E).
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  static char text[65536];
  int end = socket(AF_UNIX, SOCK_DGRAM, 0);
  size_t length = count >= 2 ? strlen(arguments[1]) : 0;
  if (end < 0 || length == 0 || length >= sizeof address.sun_path) return 1;
  memcpy(address.sun_path, arguments[1], length);
  if (address.sun_path[0] == '@') address.sun_path[0] = 0;
  if (bind(end, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) != 0) return 2;
  puts("ready");
  fflush(stdout);
  alarm(60);
  for (int left = count >= 3 ? atoi(arguments[2]) : 1; left > 0; left--) {
    ssize_t got = recv(end, text, sizeof text, 0);
    if (got < 0) return 3;
    if (count >= 3) putchar(0x1e);
    fwrite(text, 1, (size_t)got, stdout);
    fflush(stdout);
  }
  return 0;
}
