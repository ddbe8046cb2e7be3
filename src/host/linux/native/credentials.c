/*
 * The credentials of the process (credentials(7)). The C library changes those of all its threads at once. Node's own calls
 * refuse to do so on a libuv that is not the one in its source tree, as Debian's package has it (CVE-2024-22017).
 */
#include "addon.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns whether `value` is an id. The largest one means "unchanged" to the kernel. */
static bool to_id(napi_env env, napi_value value, uid_t *id) {
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok || !(number >= 0 && number < UINT32_MAX)) return false;
  *id = (uid_t)number;
  return *id == number;
}

static napi_value set_id(napi_env env, napi_callback_info info, const char *what, int (*set)(uid_t)) {
  napi_value given;
  size_t count = 1;
  uid_t id;
  if (napi_get_cb_info(env, info, &count, &given, NULL, NULL) != napi_ok || count != 1 || !to_id(env, given, &id))
    return fail(env, what, EINVAL);
  return set(id) == 0 ? NULL : fail(env, what, errno);
}

/* setuid(id) and its kind. As root, the first two set the real, the effective and the saved id. */
napi_value set_user(napi_env env, napi_callback_info info) { return set_id(env, info, "setuid", setuid); }
napi_value set_group(napi_env env, napi_callback_info info) { return set_id(env, info, "setgid", setgid); }
napi_value set_effective_user(napi_env env, napi_callback_info info) { return set_id(env, info, "seteuid", seteuid); }
napi_value set_effective_group(napi_env env, napi_callback_info info) { return set_id(env, info, "setegid", setegid); }

/* Reads an id or the name of a group. Returns 0 or errno. */
static int to_group(napi_env env, napi_value value, gid_t *group) {
  /* One byte more than fits, so that truncation is noticed. */
  char name[65];
  size_t length;
  if (to_id(env, value, group)) return 0;
  if (napi_get_value_string_utf8(env, value, name, sizeof name, &length) != napi_ok || length == sizeof name - 1)
    return EINVAL;
  const struct group *found = getgrnam(name);
  if (found == NULL) return ENOENT;
  *group = found->gr_gid;
  return 0;
}

/* setgroups(array): the supplementary groups, by id or by name. ENOENT: there is no group of this name. */
napi_value set_groups(napi_env env, napi_callback_info info) {
  napi_value given, element;
  size_t count = 1;
  uint32_t length;
  if (napi_get_cb_info(env, info, &count, &given, NULL, NULL) != napi_ok || count != 1 ||
      napi_get_array_length(env, given, &length) != napi_ok)
    return fail(env, "setgroups", EINVAL);
  gid_t *groups = calloc((size_t)length + 1, sizeof *groups);
  int error = groups == NULL ? ENOMEM : 0;
  for (uint32_t i = 0; i < length && error == 0; i += 1)
    error = napi_get_element(env, given, i, &element) != napi_ok ? EINVAL : to_group(env, element, &groups[i]);
  if (error == 0 && setgroups(length, groups) != 0) error = errno;
  free(groups);
  return error == 0 ? NULL : fail(env, "setgroups", error);
}
