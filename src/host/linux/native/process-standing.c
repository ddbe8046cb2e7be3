/* The process towards the system: its capabilities across a change of user, sd_notify(3), and messages to journald. */
#include "addon.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* keepCapabilities(): the calling thread keeps its permitted capabilities when it next changes its user. */
napi_value keep_capabilities(napi_env env, napi_callback_info info) {
  (void)info;
  if (prctl(PR_SET_KEEPCAPS, 1L, 0L, 0L, 0L) != 0) return fail(env, "prctl", errno);
  return NULL;
}

/*
 * keepTimeCapabilityAlone(): drops all capabilities but CAP_SYS_TIME, which becomes effective; returns true if it was
 * permitted.
 */
napi_value keep_time_capability_alone(napi_env env, napi_callback_info info) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
  napi_value result = NULL;
  (void)info;
  if (syscall(SYS_capget, &header, sets) != 0) return fail(env, "capget", errno);
  uint32_t kept = sets[0].permitted & (1U << CAP_SYS_TIME);
  memset(sets, 0, sizeof sets);
  sets[0].permitted = sets[0].effective = kept;
  if (syscall(SYS_capset, &header, sets) != 0) return fail(env, "capset", errno);
  if (prctl(PR_SET_KEEPCAPS, 0L, 0L, 0L, 0L) != 0) return fail(env, "prctl", errno);
  napi_get_boolean(env, kept != 0, &result);
  return result;
}

/* Sends one datagram to the socket at `path` without blocking. Returns 0, or errno with the failed call in `what`. */
static int send_local(char *path, size_t path_length, const void *bytes, size_t length, const char **what) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  *what = "connect";
  if (path_length == 0) return EINVAL;
  if (path_length >= sizeof address.sun_path) return ENAMETOOLONG;
  memcpy(address.sun_path, path, path_length);
  if (path[0] == '@') address.sun_path[0] = '\0';
  *what = "socket";
  int end = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (end < 0) return errno;
  *what = "sendto";
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path_length);
  ssize_t sent = sendto(end, bytes, length, MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
  int error = sent < 0 ? errno : 0;
  close(end);
  return error;
}

/*
 * notify(path, text): sends one datagram to the socket of systemd without blocking (EAGAIN). A path that begins with @ is
 * in the abstract name space, where the address has the length of the name and begins with a zero byte.
 */
napi_value notify(napi_env env, napi_callback_info info) {
  napi_value given[2];
  size_t count = 2, path_length = 0, text_length = 0;
  const char *what;
  /* One byte more than fits, so that truncation is noticed. */
  char path[sizeof ((struct sockaddr_un *)0)->sun_path + 1], text[1024];
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_string_utf8(env, given[0], path, sizeof path, &path_length) != napi_ok ||
      napi_get_value_string_utf8(env, given[1], text, sizeof text, &text_length) != napi_ok)
    return fail(env, "notify", EINVAL);
  if (text_length >= sizeof text - 1) return fail(env, "notify", EMSGSIZE);
  int error = send_local(path, path_length, text, text_length, &what);
  return error != 0 ? fail(env, what, error) : NULL;
}

/* sendLocal(path, Uint8Array): the same for any bytes, such as an entry for journald. */
napi_value send_local_bytes(napi_env env, napi_callback_info info) {
  napi_value given[2];
  napi_typedarray_type type;
  size_t count = 2, path_length = 0, length = 0;
  void *bytes = NULL;
  const char *what;
  char path[sizeof ((struct sockaddr_un *)0)->sun_path + 1];
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_string_utf8(env, given[0], path, sizeof path, &path_length) != napi_ok ||
      napi_get_typedarray_info(env, given[1], &type, &length, &bytes, NULL, NULL) != napi_ok || type != napi_uint8_array)
    return fail(env, "sendLocal", EINVAL);
  int error = send_local(path, path_length, bytes, length, &what);
  return error != 0 ? fail(env, what, error) : NULL;
}
