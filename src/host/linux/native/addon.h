/* Shared by the sources of clock-steering.node. Every failure throws an Error whose `code` is the name of errno. */
#pragma once

#define _GNU_SOURCE
/* On a 32-bit machine: use 64-bit time, if the C library offers the choice. */
#define _FILE_OFFSET_BITS 64
#define _TIME_BITS 64

#include <node_api.h>

/* Throws an Error, and returns NULL for the caller to return. */
napi_value fail(napi_env env, const char *what, int error);

napi_value clock_now(napi_env env, napi_callback_info info);
napi_value clock_read(napi_env env, napi_callback_info info);
napi_value clock_step(napi_env env, napi_callback_info info);
napi_value clock_slew(napi_env env, napi_callback_info info);
napi_value clock_set_frequency(napi_env env, napi_callback_info info);
napi_value clock_set_quality(napi_env env, napi_callback_info info);

napi_value keep_capabilities(napi_env env, napi_callback_info info);
napi_value keep_time_capability_alone(napi_env env, napi_callback_info info);
napi_value notify(napi_env env, napi_callback_info info);
napi_value send_local_bytes(napi_env env, napi_callback_info info);

napi_value set_user(napi_env env, napi_callback_info info);
napi_value set_group(napi_env env, napi_callback_info info);
napi_value set_effective_user(napi_env env, napi_callback_info info);
napi_value set_effective_group(napi_env env, napi_callback_info info);
napi_value set_groups(napi_env env, napi_callback_info info);

napi_value try_lock(napi_env env, napi_callback_info info);

napi_value bound_buffers(napi_env env, napi_callback_info info);
napi_value read_peer(napi_env env, napi_callback_info info);

napi_value datagrams_open(napi_env env, napi_callback_info info);
napi_value datagrams_send(napi_env env, napi_callback_info info);
napi_value datagrams_age(napi_env env, napi_callback_info info);
