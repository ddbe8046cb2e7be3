/* Sockets that Node opens: their buffers, and their peers. */
#include "addon.h"

#include <errno.h>
#include <sys/socket.h>

/*
 * boundBuffers(descriptor, bytes): the kernel holds about so many bytes that a client does not take, and as many that this
 * process does not read; of a listening socket, for each connection that it accepts from now on. The kernel doubles the
 * number for its own use (socket(7)), and no longer adapts it, up to 4 MiB, to the connection.
 */
napi_value bound_buffers(napi_env env, napi_callback_info info) {
  napi_value given[2];
  size_t count = 2;
  int32_t descriptor, bytes;
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_int32(env, given[0], &descriptor) != napi_ok ||
      napi_get_value_int32(env, given[1], &bytes) != napi_ok)
    return fail(env, "boundBuffers", EINVAL);
  if (setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) != 0 ||
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) != 0)
    return fail(env, "setsockopt", errno);
  return NULL;
}

/* readPeer(descriptor, numbers): the process and the user at the other end (SO_PEERCRED of unix(7)), into a Float64Array. */
napi_value read_peer(napi_env env, napi_callback_info info) {
  napi_value given[2];
  napi_typedarray_type type;
  size_t count = 2, length = 0;
  int32_t descriptor;
  void *place;
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_int32(env, given[0], &descriptor) != napi_ok ||
      napi_get_typedarray_info(env, given[1], &type, &length, &place, NULL, NULL) != napi_ok ||
      type != napi_float64_array || length != 2)
    return fail(env, "readPeer", EINVAL);
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return fail(env, "getsockopt", errno);
  double *numbers = place;
  numbers[0] = peer.pid;
  numbers[1] = peer.uid;
  return NULL;
}
