import type { OperationId } from "../operations.ts";

/**
 * What the author of a client has to know of an operation beyond its summary: what else it changes, when it is refused,
 * and how to use it. They stand apart from the operations because only the OpenAPI document has them.
 */
export const descriptions: Readonly<Record<OperationId, string>> = {
  getVersion:
    "`api_version` rises only when a program that is written against this contract could break. `device_id` stays as long as the system is installed; `boot_id` changes at each start of the machine.",
  getHealth:
    "The answer is 200 whatever the health is: read `status`. Each check has a `code` and `facts`; callers without a token see `status` alone.",
  getReadiness:
    "For load balancers and for the guard of an update: 200 when sign-ins work, 503 `not_ready` or `state_damaged` when they do not. The tests run once after each start.",
  getStatus:
    "For monitoring programs. `state` is the gravest level in `needs`; each need has a stable `code`, `facts` with types, and an English `detail` that says what to do. The ETag stays while only figures of the moment change.",
  getMetrics:
    "Prometheus' text format 0.0.4, compressed where Accept-Encoding has gzip. All values come from memory, so the answer comes also while the disk stalls. A value that is not known is absent. No label holds the name of a person, an address or a path that a stranger can choose.",
  getOpenApi:
    "This document, compressed where Accept-Encoding allows it. `If-None-Match` with its ETag is answered with 304. Every answer names it in a Link header (`rel=service-desc`).",
  greetConsole: "What a sign-in page needs before a person has signed in.",
  getSettings:
    "All settings with their values in effect. For the role readonly some values are `(hidden)`. Send the ETag as If-Match with a change, so that two programs do not overwrite each other.",
  updateSettings:
    "Merges the members given into the settings; absent members stay. A member set to its present value changes nothing. Settings of administrators need a step-up, which API tokens cannot have: a token changes only settings whose `x-writer` is operator, and a fleet token (`is_fleet`) all. Values that the host file decides are refused with `pinned_by_host`.",
  getSettingsSchema:
    "JSON Schema 2020-12 with title, description, default and limits of each setting: enough to make a form of it.",
  getSystemFacts:
    "Figures of this moment, some of them a few seconds old. A figure that cannot be read is null.",
  getTls:
    "HTTPS is switched on by root, in the host file. Compare `certificate.fingerprint` with what the browser or the client shows at the first connection.",
  reloadHostFile:
    "Members of the host file that can change while the agent runs are in use at once; `needs_restart` names the others. A host file with a fault is refused as a whole, and the former one stays in use.",
  acceptDamage:
    "The damaged file stays beside the state for a person to look into. Only the finding is removed; the event names what was accepted.",
  getHost:
    "Unlike the settings, host name and time zone belong to the operating system; the agent asks root's helper to change them.",
  changeHost:
    "Absent members stay. The device answers to a new host name at once, and no longer to the former one; update windows follow a new time zone at once. Without the helper the answer is `host_right_missing`.",
  reboot:
    "The answer comes before the machine restarts. Afterwards `boot_id` of GET /api/version is another one. Sessions end with the restart.",
  powerOff: "The answer comes before the machine shuts down. Nothing in this API can switch it on again.",
  factoryReset:
    "`confirm` is the device's name, so that no other device is reset by mistake. Installed releases, the host file and the root of trust stay. Refused with `update_busy` while a release is on trial. A power cut does no harm: the reset is finished at the next start.",
  getTimeSync:
    "`summary` says in one code how the clock is; `state`, `trust`, the sources and the figures say why. A token that fails only because the device's clock was wrong is accepted here.",
  reselectTimeSources:
    "Answers after the round of measurements, which takes some seconds. A token that fails only because the device's clock was wrong is accepted here.",
  syncTime:
    "Answers after the correction, which takes some seconds. A correction beyond `time.panic_threshold` is refused unless `force` is true. `time` sets the clock by hand where no better source is trusted. A token that fails only because the device's clock was wrong is accepted here, without `force` and `time`.",
  probeTimeServers:
    "For a form in which servers are about to be set: each is asked once, and `agreeing` says how many of those that answered say the same time.",
  resetClockFloor:
    "Corrects a floor that a false time has moved into the future. Only root and the service's own user can call it, over the unix socket.",
  getUpdates:
    "`summary` says in one code how updates are. `available` has the releases on offer and, in `hold`, why they are not applied unattended; `blockers` the kinds whose metadata could not be verified.",
  checkForUpdates:
    "Answers at once, with `schedule.check_id`. The result is in `schedule.last_check` of GET /api/updates once its `id` is that one; a check that was given up leaves none. What was found is fetched and applied as the settings say. `repository` is a directory on the device, for a stick with a copy of the repository.",
  listUpdateHistory:
    "`outcome` and `reason.code` say how an attempt ended; `log` has the last lines of a release that failed.",
  applyUpdates:
    "Answers at once; `trial` of GET /api/updates and the stream of events show the progress. A release that does not become healthy is undone without a request.",
  rollBackUpdate:
    "Answers at once. The release that is left is held: it is not applied again without a request. A version below a signed floor is refused with `below_floor`; after a reboot, or 72 hours, only root on the device can go back.",
  postponeUpdate:
    "`for` counts from now; `0s` ends a postponement. A release that is newer than the postponed one is not affected, and a request to apply it is not either.",
  dismissFailedUpdate:
    "The release stays on the blocklist, and in `failed` with the state `dismissed`. Should it be tried again and fail again, that is a need anew.",
  confirmUpdateTrust:
    "Compare the fingerprint with the publisher's by another way than this network, then send all of it. New binaries are applied unattended only under a confirmed root of trust.",
  getSetup: "While `setup_required` is true, most other operations answer 503 `setup_required`.",
  setUp:
    "The token is printed by `steward setup-token` on the device and is good once. Afterwards the answer is `setup_already_done`, unless the device was booted for rescue and shows a token of its own.",
  login:
    "A user with a second factor who sends no code gets 401 `totp_required` with a `challenge_token`, for POST /api/auth/totp; a code can also be sent at once. The access token is valid for 15 minutes; POST /api/auth/refresh exchanges the refresh token for the next pair. Programs use an API token instead.",
  answerChallenge:
    "The challenge is good for five minutes and for as many codes as the throttle allows. A recovery code works in place of a code, once.",
  beginAtProvider:
    "Send the browser to `authorization_url`, and keep `flow_token` where only this page reads it. The provider sends the browser back to the path `/oidc` of the same origin.",
  signInAtProvider:
    "`query` is that of the address that the browser came back to, unchanged. A flow ends with its first answer. The reason of `provider_refused` names the check that failed.",
  refresh:
    "A refresh token is good once. One that is used twice ends its session, since one of the two may be a thief; only a repetition within 10 seconds by the same client gets the same answer again.",
  logout:
    "Its access tokens are refused from now on. The answer is the same where the session has ended already.",
  reauthenticate:
    "Changes to other accounts, second factors, API tokens, security settings and updates answer 401 `step_up_required` until this was done. A sign-in with all factors counts as well for its first five minutes.",
  stepUpAtProvider:
    "It counts only for the user of this session, and only if they have signed in at the provider since the step-up began.",
  getMe: "The account as an administrator sees it, for the user themselves.",
  changePassword:
    "The session of this request goes on. API tokens stay valid. A new password is refused if it is too short, too common or made of the user's names.",
  listSessions: "A session shows the address and the program that it was last used from.",
  endSession:
    "Its tokens are refused at once. For another user's session the query names the user, and a step-up is needed.",
  listUsers:
    "Filters narrow the items and `total`; `counts` is about all users, whatever the query asks for.",
  createUser:
    "Without `password` a one-use password is generated and returned once, as `initial_password`: the user must choose another one at the first sign-in.",
  getUser: "Send the ETag as If-Match with a change or a deletion.",
  updateUser:
    "Absent members stay. A user who is disabled loses all sessions at once. The last enabled administrator cannot be disabled or given another role (`last_admin`).",
  deleteUser:
    "Sessions and API tokens of the user end at once. The last enabled administrator cannot be deleted (`last_admin`). Events keep the name.",
  resetPassword:
    "Sessions and API tokens of the user end, except with `keep_tokens`; `tokens_ended` says how many. The second factor stays.",
  unlockUser:
    "Ends the locks that wrong passwords and wrong codes have put on the account, and forgets the failures.",
  rescueUser:
    "Everything at once for a person who cannot get in. The one-use password is in the answer, this once. Where the disk cannot be written the change is held in memory (`held_in_memory`).",
  endUserSessions: "The user has to sign in again everywhere.",
  getTwoFactor: "`sealing_key` is present when the device cannot check codes because a key is missing.",
  setUpTwoFactor:
    "Show `qr_svg` or `secret` to the user, then call enable with the first code that their authenticator shows. Another call replaces the secret that is not enabled yet.",
  enableTwoFactor:
    "The ten recovery codes are shown this once. While the device's clock is not trusted the answer is `clock_not_synchronised`, unless `allow_unsynchronised_clock` is true.",
  disableTwoFactor:
    "Needs password and code, or a recovery code, whatever the session has given before. Refused where `security.require_2fa` asks the user for a second factor.",
  recoverTwoFactor:
    "`{id}` is the user's id or name. With password and recovery code no session is needed, and the answer is a new one; an administrator gives a `reason`, which is recorded, and gets the user. An unknown user is answered like a wrong password.",
  makeRecoveryCodes: "The ten codes are shown this once.",
  listTokens:
    "The tokens themselves are not stored; a list shows what they are for and when they were last used.",
  createToken:
    "`token` is in this answer and nowhere else. The token can do what both its scopes and its owner's role allow. Only root makes fleet tokens, which alone may write settings of administrators and, with `users:write`, users who are none. No token makes tokens or touches second factors.",
  rotateToken:
    "For `steward token rotate`, over the socket on the device alone. `token` is in this answer and nowhere else.",
  deleteToken: "For another user's token an administrator needs a step-up.",
  getSealKey:
    "For `steward seal-key`, over the socket on the device alone. It is made of the device's sealing key, and another one once that is another.",
  applyConfiguration:
    "For `steward apply`, over the socket on the device alone. Members that are absent stay as they are. All faults are told at once, each with its place in the document, and then nothing is changed. What a loss of power interrupts is finished at the next start, before the agent answers.",
  listEvents:
    "Both logs, changes and refusals, in one sequence; each is a chain of hashes. To follow without a gap, ask with `after` set to the last `seq` that was read.",
  streamEvents:
    "An event stream (text/event-stream); `contentSchema` is the schema of each message's data. Read it with fetch and the Authorization header. A comment every 15 seconds is a sign of life. It ends with its session or token; continue with Last-Event-ID.",
  listLogs:
    "A page may have fewer lines than `limit` and still not be the last: ask on until `next_cursor` is null. `source` says whether the lines are the journal's or the agent's own alone.",
  streamLogs:
    "An event stream, as GET /api/events/stream. Continue with Last-Event-ID, which is the `cursor` of the last line.",
};
