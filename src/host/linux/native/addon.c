/* The table of the addon's functions, and how they throw errors. */
#include "addon.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

napi_value fail(napi_env env, const char *what, int error) {
  char number[16], message[160];
  snprintf(number, sizeof number, "E%d", error);
  const char *name = strerrorname_np(error);
  snprintf(message, sizeof message, "%s: %s", what, strerror(error));
  napi_throw_error(env, name ? name : number, message);
  return NULL;
}

NAPI_MODULE_INIT() {
  static const struct {
    const char *name;
    napi_callback call;
  } functions[] = {
      {"now", clock_now},
      {"read", clock_read},
      {"step", clock_step},
      {"slew", clock_slew},
      {"setFrequency", clock_set_frequency},
      {"setQuality", clock_set_quality},
      {"keepCapabilities", keep_capabilities},
      {"keepTimeCapabilityAlone", keep_time_capability_alone},
      {"setuid", set_user},
      {"setgid", set_group},
      {"seteuid", set_effective_user},
      {"setegid", set_effective_group},
      {"setgroups", set_groups},
      {"notify", notify},
      {"sendLocal", send_local_bytes},
      {"tryLock", try_lock},
      {"boundBuffers", bound_buffers},
      {"readPeer", read_peer},
      {"openDatagrams", datagrams_open},
      {"sendDatagram", datagrams_send},
      {"datagramAge", datagrams_age},
  };
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i += 1) {
    napi_value made;
    if (napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH, functions[i].call, NULL, &made) != napi_ok ||
        napi_set_named_property(env, exports, functions[i].name, made) != napi_ok)
      return NULL;
  }
  return exports;
}
