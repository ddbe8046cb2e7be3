import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { startTimedAgentInProcess } from "../../../lab/agents/faked-time.ts";
import type { Answer, CallOptions } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { type OperationId, operationIds, operationOf } from "../../../src/contract/operations.ts";
import { fleetScopes, scopeNames, userScopes } from "../../../src/contract/scopes.ts";

/**
 * The table says who may call what, by hand from the contract's page: `+` may, `-` may not, `s` must give the password
 * again, `e` must enrol a second factor first, `x` nobody may since the device has an administrator. The last word is the scope that an API token needs, or `none`: none may, or
 * `any`: each may.
 */
const table: Record<string, string> = {
  //                  anonymous local readonly operator admin stepped-up enrolling scope
  getVersion: "          +      +      +        +       +       +         +      system:read",
  getHealth: "           +      +      +        +       +       +         +      system:read",
  getReadiness: "        +      +      +        +       +       +         +      system:read",
  getStatus: "           -      +      +        +       +       +         e      system:read",
  getHistory: "          -      +      +        +       +       +         e      system:read",
  getMetrics: "          -      +      +        +       +       +         e      metrics:read",
  getOpenApi: "          +      +      +        +       +       +         +      none",
  greetConsole: "        +      +      +        +       +       +         +      none",
  getSetup: "            +      +      +        +       +       +         +      none",
  setUp: "               x      x      x        x       x       x         x      none",
  login: "               +      +      +        +       +       +         +      none",
  answerChallenge: "     +      +      +        +       +       +         +      none",
  beginAtProvider: "     +      +      +        +       +       +         +      none",
  signInAtProvider: "    +      +      +        +       +       +         +      none",
  refresh: "             +      +      +        +       +       +         +      none",
  logout: "              +      +      +        +       +       +         +      none",
  reauthenticate: "      -      -      +        +       +       +         +      none",
  stepUpAtProvider: "    -      -      +        +       +       +         e      none",
  getMe: "               -      -      +        +       +       +         +      none",
  changePassword: "      -      -      +        +       +       +         +      none",
  listSessions: "        -      +      +        +       +       +         e      none",
  endSession: "          -      +      +        +       +       +         e      none",
  listUsers: "           -      +      -        -       +       +         e      users:read",
  createUser: "          -      +      -        -       s       +         e      users:write",
  getUser: "             -      +      -        -       +       +         e      users:read",
  updateUser: "          -      +      -        -       s       +         e      users:write",
  deleteUser: "          -      +      -        -       s       +         e      users:write",
  resetPassword: "       -      +      -        -       s       +         e      users:write",
  unlockUser: "          -      +      -        -       s       +         e      users:write",
  rescueUser: "          -      +      -        -       s       +         e      none",
  endUserSessions: "     -      +      -        -       s       +         e      users:write",
  getTwoFactor: "        -      +      -        -       +       +         +      none",
  setUpTwoFactor: "      -      -      -        -       -       -         -      none",
  enableTwoFactor: "     -      -      -        -       -       -         -      none",
  disableTwoFactor: "    -      -      -        -       -       -         e      none",
  recoverTwoFactor: "    +      +      +        +       +       +         +      none",
  beginPasskey: "        -      -      -        -       -       -         e      none",
  addPasskey: "          -      -      -        -       -       -         e      none",
  removePasskey: "       -      -      -        -       -       -         e      none",
  makeRecoveryCodes: "   -      -      -        -       -       -         e      none",
  listTokens: "          -      +      +        +       +       +         e      none",
  createToken: "         -      +      s        s       s       +         e      none",
  rotateToken: "         -      +      -        -       -       -         e      none",
  resumeToken: "         -      +      -        -       s       +         e      none",
  rotateOwnToken: "      -      -      -        -       -       -         e      any",
  deleteToken: "         -      +      +        +       +       +         e      none",
  checkPage: "           +      +      +        +       +       +         +      product:use",
  enterPage: "           -      -      +        +       +       +         e      none",
  finishPage: "          +      +      +        +       +       +         +      none",
  getSealKey: "          -      +      -        -       -       -         e      none",
  exportConfiguration: " -      +      -        -       -       -         e      none",
  receiveBackup: "       x      +      x        x       x       x         x      none",
  restoreBackup: "       x      +      x        x       x       x         x      none",
  applyConfiguration: "  -      +      -        -       -       -         e      none",
  checkConfiguration: "  -      +      -        -       +       +         e      configuration:read",
  getConfigurationDigest: "      -      +      -        -       +       +         e      configuration:read",
  listEvents: "          -      +      -        +       +       +         e      events:read",
  countEvents: "         -      +      -        +       +       +         e      events:read",
  streamEvents: "        -      +      -        +       +       +         e      events:read",
  listLogs: "            -      +      +        +       +       +         e      logs:read",
  countLogs: "           -      +      +        +       +       +         e      logs:read",
  streamLogs: "          -      +      +        +       +       +         e      logs:read",
  getSettings: "         -      +      +        +       +       +         e      system:read",
  updateSettings: "      -      +      -        +       +       +         e      system:write",
  getSettingsSchema: "   -      +      +        +       +       +         e      system:read",
  getSystemFacts: "      -      +      +        +       +       +         e      system:read",
  getTimeSync: "         -      +      +        +       +       +         e      system:read",
  reselectTimeSources: " -      +      -        +       +       +         e      time:write",
  syncTime: "            -      +      -        +       +       +         e      time:write",
  probeTimeServers: "    -      +      -        -       +       +         e      time:write",
  resetClockFloor: "     -      +      -        -       -       -         e      none",
  getUpdates: "          -      +      +        +       +       +         e      system:read",
  checkForUpdates: "     -      +      -        +       +       +         e      updates:check",
  checkUploadedRepository: "-   +      -        +       +       +         e      updates:check",
  listUpdateHistory: "   -      +      +        +       +       +         e      system:read",
  applyUpdates: "        -      +      -        -       s       +         e      updates:apply",
  rollBackUpdate: "      -      +      -        -       s       +         e      updates:apply",
  postponeUpdate: "      -      +      -        -       s       +         e      updates:apply",
  dismissFailedUpdate: "      -      +      -        -       s       +         e      updates:apply",
  confirmUpdateTrust: "  -      +      -        -       s       +         e      none",
  getNotifications: "    -      +      -        +       +       +         e      system:read",
  setReceiverSecret: "   -      +      -        -       s       +         e      none",
  testReceiver: "        -      +      -        -       +       +         e      system:write",
  getTls: "              -      +      +        +       +       +         e      system:read",
  enableTls: "           -      +      -        -       s       +         e      none",
  reloadHostFile: "      -      +      -        -       +       +         e      none",
  makeBackup: "          -      +      -        -       s       +         e      none",
  confirmBackup: "       -      +      -        -       -       -         e      none",
  makeSupportBundle: "   -      +      -        -       +       +         e      none",
  acceptDamage: "        -      +      -        -       s       +         e      none",
  getHost: "             -      +      +        +       +       +         e      system:read",
  changeHost: "          -      +      -        -       s       +         e      none",
  reboot: "              -      +      -        -       s       +         e      none",
  powerOff: "            -      +      -        -       s       +         e      none",
  factoryReset: "        -      +      -        -       s       +         e      none",
};

/** The same about oneself, where `{id}` is the caller's own. */
const aboutOneself: Record<string, string> = {
  //                  readonly operator admin stepped-up enrolling
  getUser: "             +        +       +       +        e",
  updateUser: "          +        +       +       +        e",
  deleteUser: "          -        -       s       +        e",
  resetPassword: "       -        -       s       +        e",
  unlockUser: "          -        -       s       +        e",
  rescueUser: "          -        -       s       +        e",
  endUserSessions: "     -        -       s       +        e",
  getTwoFactor: "        +        +       +       +        +",
  setUpTwoFactor: "      s        s       s       +        s",
  enableTwoFactor: "     +        +       +       +        +",
  disableTwoFactor: "    +        +       +       +        e",
  recoverTwoFactor: "    +        +       +       +        +",
  beginPasskey: "        s        s       s       +        e",
  addPasskey: "          s        s       s       +        e",
  removePasskey: "       s        s       s       +        e",
  makeRecoveryCodes: "   s        s       s       +        e",
};

const people = ["readonly", "operator", "admin", "stepped-up", "enrolling"] as const;
const stale = ["expired session", "revoked session", "expired API token", "deleted API token"] as const;

/** An id that no user has. */
const unknownUser = `usr_${"0".repeat(32)}`;

describe("who may call what", () => {
  const tokens = new Map<string, string>();
  const ids = new Map<string, string>();

  const agent = ofSuite(() => startTimedAgentInProcess({ clock: { trust: "trusted" } }));
  before(async () => {
    await agent.signedInAdmin();
    const past = await agent.signedIn("past", "operator");
    tokens.set("expired session", past.token);
    const short = await makeToken({ token: past.token }, ["system:read", "logs:read"], { expires_in: "1h" });
    tokens.set("expired API token", short.token);
    agent.stepClock(2 * 3_600);
    for (const role of ["readonly", "operator", "admin"] as const) await keepEnrolled(role, role);
    await keepEnrolled("stepped-up", "admin");
    const left = await agent.signedIn("gone", "admin");
    await agent.call("POST", "/api/auth/logout", { body: { refresh_token: left.refreshToken } });
    tokens.set("revoked session", left.token);
    const careful = { token: tokens.get("stepped-up") };
    for (const scope of userScopes) tokens.set(scope, (await makeToken(careful, [scope])).token);
    // Root makes these, for the address that this test calls from.
    const fleet = { user_id: ids.get("stepped-up"), is_fleet: true, sources: ["127.0.0.0/8"] };
    for (const scope of fleetScopes)
      tokens.set(scope, (await makeToken({ local: true }, [scope], fleet)).token);
    const deleted = await makeToken(careful, ["system:read"]);
    await agent.call("DELETE", `/api/tokens/${deleted.id}`, careful);
    tokens.set("deleted API token", deleted.token);
    await agent.signedIn("a-newcomer", "admin");
    const policy = { security: { require_2fa: "admins" } };
    assert.equal((await agent.call("PUT", "/api/system", { local: true, body: policy })).status, 200);
    const newcomer = await agent.login("a-newcomer", goodPassword);
    ids.set("enrolling", newcomer.id);
    tokens.set("enrolling", newcomer.token);
  });

  const makeToken = async (by: CallOptions, scopes: string[], more: object = {}) => {
    const body = { name: scopes.join(), scopes, expires_in: "1d", ...more };
    const { status, json, text } = await agent.call("POST", "/api/tokens", { ...by, body });
    assert.equal(status, 201, text);
    return json as { id: string; token: string };
  };

  /** A user with a second factor, in a session that was stepped up or, begun with a recovery code, was not. */
  const keepEnrolled = async (caller: string, role: "readonly" | "operator" | "admin") => {
    const username = `a-${caller}`;
    const { id, token } = await agent.signedIn(username, role);
    const user = { id, token, password: goodPassword };
    const { recoveryCodes } = await enrol(agent.call, user, agent.nowSeconds());
    const body = { username, password: goodPassword, recovery_code: recoveryCodes[0] };
    const isSteppedUp = caller === "stepped-up";
    const later = isSteppedUp
      ? token
      : (await agent.call("POST", "/api/auth/login", { body })).json.access_token;
    ids.set(caller, id);
    tokens.set(caller, later);
  };

  const attempt = (id: OperationId, caller: string, userId: string): Promise<Answer> => {
    const { method, path, body, upload } = operationOf(id);
    const where = path
      .replace("{name}", "users")
      .replace("{sid}", `ses_${"0".repeat(32)}`)
      .replace("{passkey}", `psk_${"0".repeat(32)}`)
      .replace("{id}", path.includes("tokens") ? `tok_${"0".repeat(32)}` : userId);
    // Refused for its form after the rights were checked; nothing is changed.
    return agent.call(method, body ? where : `${where}?no_such_parameter=1`, {
      ...(caller === "local" && { local: true }),
      ...(tokens.has(caller) && { token: tokens.get(caller) }),
      ...(body && { body: { no_such_member: 1 } }),
      ...(upload && { headers: { "content-type": "application/octet-stream" } }),
    });
  };

  /** The sign of the table for an answer. */
  const signOf = ({ status, json }: Answer): string => {
    if (json?.code === "step_up_required") return "s";
    if (json?.code === "two_factor_enrolment_required") return "e";
    if (status === 401 || status === 403) return "-";
    if (json?.code === "setup_already_done") return "x";
    // An upload without a media type is refused when its caller may send it.
    assert.ok([400, 415].includes(status), `answered ${status} ${json?.code}`);
    return "+";
  };

  const lineOf = (id: OperationId): string[] => (table[id] ?? "").trim().split(/\s+/);

  it("has a line here for every operation, and no line for anything else", () => {
    assert.deepEqual(Object.keys(table).sort(), [...operationIds].sort());
    const aboutUsers = operationIds.filter((id) => operationOf(id).path.startsWith("/api/users/{id}"));
    assert.deepEqual(Object.keys(aboutOneself).sort(), aboutUsers.sort());
    for (const id of operationIds) assert.equal(lineOf(id).length, 8, id);
  });

  for (const id of operationIds) {
    for (const [index, caller] of ["anonymous", "local", ...people].entries()) {
      it(`${id}: ${caller} ${lineOf(id)[index]}`, async () => {
        const answer = await attempt(id, caller, unknownUser);
        assert.equal(signOf(answer), lineOf(id)[index], answer.text);
        if (signOf(answer) === "-") assert.equal(answer.status, caller === "anonymous" ? 401 : 403);
      });
    }

    const wanted = lineOf(id).at(-1);
    const first = lineOf(id)[0] ?? "-";
    const isOpen = first !== "-";
    const refusal = first === "x" ? 409 : 400;
    for (const scope of scopeNames) {
      it(`${id}: an administrator's API token for ${scope}`, async () => {
        const { status, json } = await attempt(id, scope, unknownUser);
        if (isOpen || wanted === scope || wanted === "any") assert.equal(status, refusal);
        else {
          const code = wanted === "none" ? "token_not_allowed" : "insufficient_scope";
          assert.deepEqual([status, json.code], [403, code]);
        }
      });
    }

    for (const caller of stale) {
      it(`${id}: ${caller}`, async () => {
        const { status, json, headers } = await attempt(id, caller, unknownUser);
        // The clock was stepped a moment ago: with a token that it spoilt it can be mended.
        const isTolerated = caller === "expired session" && operationOf(id).clockTolerant === true;
        if (isOpen || isTolerated) assert.equal(status, refusal);
        else {
          assert.deepEqual([status, json.code], [401, "invalid_token"]);
          assert.equal(headers["www-authenticate"], 'Bearer error="invalid_token"');
        }
      });
    }
  }

  for (const [id, line] of Object.entries(aboutOneself)) {
    for (const [index, caller] of people.entries()) {
      const expected = line.trim().split(/\s+/)[index];
      it(`${id} about oneself: ${caller} ${expected}`, async () => {
        const answer = await attempt(id as OperationId, caller, ids.get(caller) ?? "");
        assert.equal(signOf(answer), expected, answer.text);
      });
    }
  }

  it("the operations that a token spoilt by the clock may call are those that mend it, and no others", () => {
    const tolerant = operationIds.filter((id) => operationOf(id).clockTolerant);
    assert.deepEqual(tolerant, ["getTimeSync", "reselectTimeSources", "syncTime"]);
  });

  it("a token over the socket lowers the rights of local root to its user's", async () => {
    const ask = (token?: string) => agent.call("GET", "/api/users", { local: true, token });
    assert.equal((await ask()).status, 200);
    assert.equal((await ask(tokens.get("readonly"))).status, 403);
    assert.equal((await ask("bad")).status, 401);
  });
});
