import { partialObject, password, strictObject, timestamp, userId, username } from "../shapes.ts";
import { displayName } from "../text/visible-text.ts";
import { listOf, pageOf } from "./lists.ts";
import { user } from "./users.ts";

export const setupStatus = strictObject({ setup_required: { type: "boolean" } });

export const setUp = strictObject(
  {
    setup_token: {
      type: "string",
      minLength: 1,
      maxLength: 128,
      writeOnly: true,
      description:
        "the token that `steward setup-token` prints on the device, or that a device booted for rescue shows",
    },
    username,
    display_name: { ...displayName, description: "of a user who is made" },
    password,
  },
  ["display_name"],
);

/** The members of a second factor that a caller may give: texts with a code in them. */
export const factorProof = {
  code: {
    type: "string",
    maxLength: 256,
    writeOnly: true,
    description: "the six digits that the authenticator shows",
  },
  recovery_code: {
    type: "string",
    maxLength: 256,
    writeOnly: true,
    description: "a recovery code in place of a code; each works once",
  },
} as const;

/** Bytes in base64url without padding (RFC 4648 §5). */
export const base64url = { type: "string" } as const;

/** WebAuthn §4: an id of a credential has at most 1,023 bytes. */
export const credentialId = {
  type: "string",
  minLength: 1,
  maxLength: 1364,
  pattern: "^[A-Za-z0-9_-]+$",
  "x-expected": "base64url without padding",
} as const;

/** Bytes that an authenticator or a browser has made, in base64url. */
export const signedText = { ...credentialId, maxLength: 16_384 } as const;

/** The answer of a passkey, WebAuthn §5.2.2. */
export const passkeyProof = {
  writeOnly: true,
  description: "the answer of a passkey to `passkey` of `totp_required`; codes beside it are ignored",
  ...strictObject({
    id: credentialId,
    client_data: signedText,
    authenticator_data: signedText,
    signature: signedText,
  }),
} as const;

/** A code and a recovery code together would leave open which of them is spent. */
export const oneFactorProof = {
  not: { required: ["code", "recovery_code"] },
  "x-expected": "given with code or recovery_code, not with both",
} as const;

const refreshTransport = {
  type: "string",
  enum: ["body", "cookie"],
  default: "body",
  description:
    "where the refresh token goes: `cookie` keeps it from scripts; the answer then has a `refresh_binding`",
} as const;

export const login = {
  ...strictObject(
    {
      username: { type: "string", minLength: 1, maxLength: 256 },
      password,
      ...factorProof,
      refresh: refreshTransport,
    },
    ["code", "recovery_code", "refresh"],
  ),
  ...oneFactorProof,
} as const;

export const totp = {
  ...strictObject(
    {
      challenge_token: {
        type: "string",
        minLength: 1,
        maxLength: 256,
        writeOnly: true,
        description: "from the 401 `totp_required`; valid for five minutes",
      },
      ...factorProof,
      passkey: passkeyProof,
      refresh: refreshTransport,
    },
    ["code", "recovery_code", "passkey", "refresh"],
  ),
  ...oneFactorProof,
} as const;

export const reauth = {
  ...strictObject({ password, ...factorProof, passkey: passkeyProof }, ["code", "recovery_code", "passkey"]),
  ...oneFactorProof,
} as const;

export const beginAtProvider = strictObject(
  {
    origin: {
      type: "string",
      minLength: 1,
      maxLength: 256,
      description:
        "the origin of the page, which the provider sends the browser back to; one of `oidc.origins`",
    },
    step_up: {
      type: "boolean",
      default: false,
      description: "true: of the caller's own session; the provider asks its user to sign in again",
    },
  },
  ["step_up"],
);

export const begunAtProvider = strictObject({
  authorization_url: { type: "string", description: "where the browser goes to sign in" },
  flow_token: {
    type: "string",
    description: "proves, when the browser is back, that it began here; good once",
  },
  expires_in: { type: "integer", description: "seconds for the user to sign in there" },
});

const returned = {
  flow_token: { type: "string", minLength: 1, maxLength: 128, writeOnly: true },
  query: {
    type: "string",
    minLength: 1,
    maxLength: 8192,
    writeOnly: true,
    description: "the query of the address that the provider sent the browser back to, as it is",
  },
} as const;

export const finishAtProvider = strictObject({ ...returned, refresh: refreshTransport }, ["refresh"]);

export const confirmAtProvider = strictObject(returned);

export const stepUp = strictObject({
  expires_in: { type: "integer", description: "seconds for which the step-up is valid" },
});

const refreshToken = { type: "string", minLength: 1, maxLength: 256 } as const;

export const refresh = partialObject({
  refresh_token: {
    ...refreshToken,
    description:
      "absent: the one in the browser's cookie, which counts only together with the header X-Refresh-Binding",
  },
});

export const session = strictObject(
  {
    access_token: { type: "string", description: "JWT; send it as `Authorization: Bearer …`" },
    token_type: { type: "string", const: "Bearer" },
    expires_in: { type: "integer", description: "seconds for which the access token is valid" },
    refresh_token: refreshToken,
    refresh_binding: {
      type: "string",
      description:
        "only with `refresh: cookie`, in the answer to a sign-in; X-Refresh-Binding sends it with the cookie. A page stores 26 characters of it; `Server-Timing` of a document has the rest",
    },
    session: strictObject({ id: { type: "string" }, expires_at: timestamp, idle_expires_at: timestamp }),
    user,
    warnings: { type: "array", items: { type: "string" } },
  },
  ["refresh_token", "refresh_binding"],
);

export const changePassword = strictObject({ current_password: password, new_password: password });

export const sessionId = {
  type: "string",
  pattern: "^ses_[0-9a-f]{32}$",
  "x-expected": "the id of a session, which begins with ses_",
} as const;

const whose = {
  user_id: {
    ...userId,
    description: "whose sessions; absent: the caller's own. Only an administrator may name another user",
  },
} as const;

/** Names the user of a session; absent: the caller. */
export const sessionQuery = partialObject(whose);

export const sessionsQuery = partialObject({ ...whose, ...pageOf(200) });

const listedSession = strictObject({
  id: sessionId,
  user_id: userId,
  is_current: { type: "boolean", description: "the session of this request" },
  address: { type: "string" },
  user_agent: { type: "string" },
  created_at: timestamp,
  last_used_at: { ...timestamp, description: "when its tokens were last issued" },
  expires_at: timestamp,
  idle_expires_at: timestamp,
});

export const sessionList = listOf(listedSession, "last used first; at most ten a user");

/** The names of these shapes in the OpenAPI document. */
export const authShapes = () =>
  ({
    SetupStatus: setupStatus,
    SetupRequest: setUp,
    SignInRequest: login,
    SignInCodeRequest: totp,
    RefreshRequest: refresh,
    ProofRequest: reauth,
    StepUp: stepUp,
    SignedIn: session,
    SignedInSession: session.properties.session,
    PasswordChange: changePassword,
    SessionId: sessionId,
    Session: sessionList.properties.items.items,
    SessionList: sessionList,
  }) as const;

export const authExamples = {
  SetupStatus: { setup_required: true },
  SetupRequest: {
    setup_token: "Zk3vX9qLr0TnWb5yHs2JcA",
    username: "alice",
    password: "six kettles below a lamp",
  },
  SignInRequest: { username: "alice", password: "six kettles below a lamp" },
  SignInCodeRequest: { challenge_token: "n4Pq7RkDs1Vt6XyBw0LmZg", code: "287082" },
  RefreshRequest: { refresh_token: "q1Zr8sWcVxkT3n0yBhGmUw" },
  ProofRequest: { password: "six kettles below a lamp" },
  StepUp: { expires_in: 300 },
  PasswordChange: { current_password: "six kettles below a lamp", new_password: "four gulls beside a crane" },
};
