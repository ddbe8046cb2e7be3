/* Binds a unix datagram socket (@NAME: abstract), says "ready", and prints the first datagram that comes within 10 s. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char text[2048];
  int end = socket(AF_UNIX, SOCK_DGRAM, 0);
  size_t length = count == 2 ? strlen(arguments[1]) : 0;
  if (end < 0 || length == 0 || length >= sizeof address.sun_path) return 1;
  memcpy(address.sun_path, arguments[1], length);
  if (address.sun_path[0] == '@') address.sun_path[0] = 0;
  if (bind(end, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) != 0) return 2;
  puts("ready");
  fflush(stdout);
  alarm(10);
  ssize_t got = recv(end, text, sizeof text, 0);
  if (got < 0) return 3;
  fwrite(text, 1, (size_t)got, stdout);
  return 0;
}
