/* Locks of files that Node has opened: Node has no flock(2). */
#include "addon.h"

#include <errno.h>
#include <sys/file.h>

/*
 * tryLock(descriptor): takes the exclusive lock of an open file if it is free, and never waits; returns whether it did.
 * The lock belongs to the open file, and the kernel releases it when the last descriptor of that is closed.
 */
napi_value try_lock(napi_env env, napi_callback_info info) {
  napi_value given, result = NULL;
  size_t count = 1;
  int32_t descriptor;
  if (napi_get_cb_info(env, info, &count, &given, NULL, NULL) != napi_ok || count != 1 ||
      napi_get_value_int32(env, given, &descriptor) != napi_ok)
    return fail(env, "tryLock", EINVAL);
  int error = flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  if (error != 0 && error != EWOULDBLOCK) return fail(env, "flock", error);
  napi_get_boolean(env, error == 0, &result);
  return result;
}
