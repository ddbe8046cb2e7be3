/* The process at the other end of a unix socket (SO_PEERCRED of unix(7)). */
#include "addon.h"

#include <errno.h>
#include <sys/socket.h>

/* readPeer(descriptor, numbers): the process and the effective user that have connected, into a Float64Array of two. */
napi_value read_peer(napi_env env, napi_callback_info info) {
  napi_value given[2];
  napi_typedarray_type type;
  size_t count = 2, length;
  int32_t descriptor;
  void *place;
  if (napi_get_cb_info(env, info, &count, given, NULL, NULL) != napi_ok || count != 2 ||
      napi_get_value_int32(env, given[0], &descriptor) != napi_ok ||
      napi_get_typedarray_info(env, given[1], &type, &length, &place, NULL, NULL) != napi_ok ||
      type != napi_float64_array || length < 2)
    return fail(env, "readPeer", EINVAL);
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return fail(env, "getsockopt", errno);
  double *numbers = place;
  numbers[0] = peer.pid;
  numbers[1] = peer.uid;
  return NULL;
}
