/*
 * UDP for Node with the kernel's time of arrival: the socket is made and queried here, and node:dgram receives on it.
 * Packets are sent at the call.
 */
#include "addon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Seconds. An older packet was received before a step of the clock, or before a suspension. */
static const double greatest_age = 2.0;

/* Reads an address with its port; for IPv6 also with the name of its link after a %. Returns 0, or an errno. */
static int read_address(char *text, uint16_t port, struct sockaddr_storage *storage, socklen_t *length) {
  struct sockaddr_in *four = (struct sockaddr_in *)storage;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)storage;
  memset(storage, 0, sizeof *storage);
  if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    *length = sizeof *four;
    return 0;
  }
  char *link = strchr(text, '%');
  if (link != NULL) *link++ = '\0';
  if (inet_pton(AF_INET6, text, &six->sin6_addr) != 1) return EINVAL;
  if (link != NULL && (six->sin6_scope_id = if_nametoindex(link)) == 0) return ENODEV;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(port);
  *length = sizeof *six;
  return 0;
}

/*
 * The first query of the time of the last packet finds none (ENOENT), and makes the kernel record these times from then
 * on. If a sandbox refuses it, ages are unknown. SO_TIMESTAMPNS would not help: it puts the time into a control
 * message, which Node does not read.
 */
static void note_arrivals(int end) {
  struct timespec none;
  (void)ioctl(end, SIOCGSTAMPNS, &none);
}

/*
 * A socket that records arrivals and receives nothing, for the life of the process. The kernel starts to record with the
 * first socket on the host that wants it and stops with the last, each time by deferred work: without this socket, the
 * reply to one that was just opened could arrive earlier.
 */
static void keep_arrivals_noted(void) {
  static int keeper = -1;
  if (keeper >= 0) return;
  keeper = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (keeper >= 0) note_arrivals(keeper);
}

/* openDatagrams(address, port): the descriptor of a connected UDP socket. The caller closes it. */
napi_value datagrams_open(napi_env env, napi_callback_info info) {
  napi_value given[2], result = NULL;
  /* The longest address, a % and the name of a link. */
  char address[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
  size_t count = 2, length = 0;
  uint32_t port = 0;
  struct sockaddr_storage peer;
  socklen_t peer_length = 0;
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_string_utf8(env, given[0], address, sizeof address, &length) != napi_ok ||
      length == sizeof address - 1 || strlen(address) != length ||
      napi_get_value_uint32(env, given[1], &port) != napi_ok || port == 0 || port > UINT16_MAX)
    return fail(env, "openDatagrams", EINVAL);
  int error = read_address(address, (uint16_t)port, &peer, &peer_length);
  if (error != 0) return fail(env, "openDatagrams", error);
  keep_arrivals_noted();
  int end = socket(peer.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (end < 0) return fail(env, "socket", errno);
  note_arrivals(end);
  if (connect(end, (const struct sockaddr *)&peer, peer_length) == 0) {
    napi_create_int32(env, end, &result);
    return result;
  }
  error = errno;
  close(end);
  return fail(env, "connect", error);
}

/* The descriptor in the first of `count` arguments; -1 after throwing EINVAL. */
static int descriptor(napi_env env, napi_callback_info info, const char *what, size_t count, napi_value *given) {
  int32_t end = -1;
  size_t length = count;
  if (napi_get_cb_info(env, info, &length, given, NULL, NULL) == napi_ok && length == count &&
      napi_get_value_int32(env, given[0], &end) == napi_ok && end >= 0)
    return end;
  fail(env, what, EINVAL);
  return -1;
}

/* sendDatagram(descriptor, Uint8Array). */
napi_value datagrams_send(napi_env env, napi_callback_info info) {
  napi_value given[2];
  napi_typedarray_type type;
  size_t length = 0;
  void *bytes = NULL;
  int end = descriptor(env, info, "sendDatagram", 2, given);
  if (end < 0) return NULL;
  if (napi_get_typedarray_info(env, given[1], &type, &length, &bytes, NULL, NULL) != napi_ok ||
      type != napi_uint8_array)
    return fail(env, "sendDatagram", EINVAL);
  return send(end, bytes, length, MSG_NOSIGNAL) < 0 ? fail(env, "send", errno) : NULL;
}

/*
 * datagramAge(descriptor): seconds since the kernel received the packet that was read last; 0 if unknown. Both times are
 * by the wall clock, so that a step between them is included.
 */
napi_value datagrams_age(napi_env env, napi_callback_info info) {
  napi_value given[1], result = NULL;
  struct timespec arrived, now;
  int end = descriptor(env, info, "datagramAge", 1, given);
  if (end < 0) return NULL;
  double age = 0;
  if (ioctl(end, SIOCGSTAMPNS, &arrived) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0)
    age = (double)(now.tv_sec - arrived.tv_sec) + (double)(now.tv_nsec - arrived.tv_nsec) * 1e-9;
  napi_create_double(env, age >= 0 && age <= greatest_age ? age : 0, &result);
  return result;
}
