import * as auth from "../schemas/auth.ts";
import * as users from "../schemas/users.ts";
import { everyone, newPasswordErrors, type Operation } from "./operation.ts";

const factorErrors = [
  "totp_invalid",
  "totp_reused",
  "recovery_code_invalid",
  "too_many_attempts",
  "account_locked",
  "second_factor_unavailable",
] as const;

const providerErrors = [
  "provider_refused",
  "provider_unreachable",
  "clock_not_synchronised",
  "role_missing",
  "username_taken",
  "too_many_attempts",
  "hashing_busy",
  "not_found",
] as const;

/** First administrator, sign-in, sessions and the own account. */
export const authOperations = {
  getSetup: {
    method: "GET",
    path: "/api/setup",
    summary: "Ask if the device still needs its first administrator",
    description: "While `setup_required` is true, most other operations answer 503 `setup_required`.",
    access: "open",
    beforeSetup: true,
    response: { status: 200, schema: auth.setupStatus },
  },
  setUp: {
    method: "POST",
    path: "/api/setup",
    summary:
      "Create the first administrator with the one-time setup token; with a token that the device shows for rescue, another one, or set the password of one",
    description:
      "The token is printed by `steward setup-token` on the device and is good once. Afterwards the answer is `setup_already_done`, unless the device was booted for rescue and shows a token of its own.",
    access: "open",
    beforeSetup: true,
    body: auth.setUp,
    response: { status: 201, schema: users.user, collection: "/api/users" },
    errors: [
      "setup_already_done",
      "setup_token_invalid",
      "too_many_attempts",
      "username_taken",
      ...newPasswordErrors,
      "storage_full",
      "storage_unwritable",
    ],
    event: "setup.done",
  },
  login: {
    method: "POST",
    path: "/api/auth/login",
    summary: "Sign in with user name and password, and with a code where the user has a second factor",
    description:
      "A user with a second factor who sends no code gets 401 `totp_required` with a `challenge_token`, for POST /api/auth/totp; a code can also be sent at once. The access token is valid for 15 minutes; POST /api/auth/refresh exchanges the refresh token for the next pair. Programs use an API token instead.",
    access: "open",
    cookie: "set",
    body: auth.login,
    response: { status: 200, schema: auth.session },
    errors: ["invalid_credentials", "totp_required", "hashing_busy", ...factorErrors],
    event: "sign_in.succeeded",
  },
  answerChallenge: {
    method: "POST",
    path: "/api/auth/totp",
    summary: "Finish a sign-in with a code or a recovery code",
    description:
      "The challenge is good for five minutes and for as many codes as the throttle allows. A recovery code works in place of a code, once.",
    access: "open",
    cookie: "set",
    body: auth.totp,
    response: { status: 200, schema: auth.session },
    errors: ["challenge_invalid", "totp_required", "passkey_invalid", ...factorErrors],
    event: "sign_in.succeeded",
  },
  beginAtProvider: {
    method: "POST",
    path: "/api/auth/provider/begin",
    summary: "Begin a sign-in at the OpenID provider of the host file, or a step-up there",
    description:
      "Send the browser to `authorization_url`, and keep `flow_token` where only this page reads it. The provider sends the browser back to the path `/oidc` of the same origin.",
    ofConsole: true,
    access: "open",
    body: auth.beginAtProvider,
    response: { status: 200, schema: auth.begunAtProvider },
    errors: [
      "authentication_required",
      "forbidden",
      "provider_refused",
      "provider_unreachable",
      "clock_not_synchronised",
      "not_found",
    ],
  },
  signInAtProvider: {
    method: "POST",
    path: "/api/auth/provider",
    summary: "Sign in with what the provider sent back; the first sign-in of a user makes the account",
    description:
      "`query` is that of the address that the browser came back to, unchanged. A flow ends with its first answer. The reason of `provider_refused` names the check that failed.",
    ofConsole: true,
    access: "open",
    cookie: "set",
    body: auth.finishAtProvider,
    response: { status: 200, schema: auth.session },
    errors: ["forbidden", ...providerErrors],
    event: "sign_in.succeeded",
  },
  stepUpAtProvider: {
    method: "POST",
    path: "/api/auth/provider/reauth",
    summary:
      "Step up with what the provider sent back; for five minutes this session may do what requires a step-up",
    description:
      "It counts only for the user of this session, and only if they have signed in at the provider since the step-up began.",
    ofConsole: true,
    access: "session",
    body: auth.confirmAtProvider,
    response: { status: 200, schema: auth.stepUp },
    errors: providerErrors,
    event: "step_up.succeeded",
  },
  refresh: {
    method: "POST",
    path: "/api/auth/refresh",
    summary: "Exchange the refresh token for new tokens; the old one becomes invalid",
    description:
      "A refresh token is good once. One that is used twice ends its session, since one of the two may be a thief, unless the same client repeats it because the answer was lost.",
    access: "open",
    cookie: "read",
    body: auth.refresh,
    response: { status: 200, schema: auth.session },
    errors: ["invalid_token", "authentication_required", "forbidden"],
  },
  logout: {
    method: "POST",
    path: "/api/auth/logout",
    summary: "End the session that this refresh token belongs to",
    description:
      "Its access tokens are refused from now on. The answer is the same where the session has ended already.",
    access: "open",
    cookie: "read",
    body: auth.refresh,
    response: { status: 204 },
    errors: ["invalid_token", "authentication_required", "forbidden"],
    event: "session.ended",
  },
  reauthenticate: {
    method: "POST",
    path: "/api/auth/reauth",
    summary:
      "Step up: give the password (and code) again; for five minutes this session may do what requires a step-up",
    description:
      "Changes to other accounts, second factors, API tokens, security settings and updates answer 401 `step_up_required` until this was done. A sign-in with all factors counts as well for its first five minutes.",
    access: "session",
    beforeEnrolment: true,
    body: auth.reauth,
    response: { status: 200, schema: auth.stepUp },
    errors: [
      ...["password_wrong", "totp_required", "passkey_invalid", "hashing_busy", "account_of_provider"],
      ...factorErrors,
    ],
    event: "step_up.succeeded",
  },
  getMe: {
    method: "GET",
    path: "/api/auth/me",
    summary: "The signed-in user",
    description: "The account as an administrator sees it, for the user themselves.",
    access: "session",
    beforePasswordChange: true,
    beforeEnrolment: true,
    response: { status: 200, schema: users.user },
  },
  changePassword: {
    method: "PUT",
    path: "/api/auth/password",
    summary: "Change your own password; all your other sessions end",
    description:
      "The session of this request continues. API tokens stay valid. A new password is refused if it is too short, too common or made of the user's names.",
    access: "session",
    beforePasswordChange: true,
    beforeEnrolment: true,
    body: auth.changePassword,
    response: { status: 204 },
    errors: ["password_wrong", "too_many_attempts", "account_of_provider", ...newPasswordErrors],
    event: "password.changed",
  },
  listSessions: {
    method: "GET",
    path: "/api/auth/sessions",
    summary: "Your sessions; for an administrator also another user's",
    description: "A session shows the address and the program that it was last used from.",
    access: everyone,
    query: auth.sessionsQuery,
    response: { status: 200, schema: auth.sessionList },
    errors: ["not_found"],
  },
  endSession: {
    method: "DELETE",
    path: "/api/auth/sessions/{sid}",
    summary: "End one of your sessions; for an administrator also another user's",
    description:
      "Its tokens are refused at once. For another user's session the query names the user, and a step-up is needed.",
    access: everyone,
    pathParameters: { sid: auth.sessionId },
    query: auth.sessionQuery,
    response: { status: 204 },
    errors: ["step_up_required"],
    event: "session.ended",
  },
} as const satisfies Record<string, Operation>;
