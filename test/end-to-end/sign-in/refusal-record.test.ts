import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { goodPassword, type SignedIn } from "../../../lab/agents/checked-agent.ts";
import {
  type Answer,
  adminName,
  adminPassword,
  type CallOptions,
  outcome,
} from "../../../lab/agents/running-agent.ts";
import { keptOf, ownPage } from "../../../lab/agents/set-cookie.ts";
import { codeOf, wrongCodeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { makeRescueToken } from "../../../src/accounts/sign-in/rescue-token.ts";
import { errorCodes } from "../../../src/contract/error-codes.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { type OperationId, operationIds, operationOf } from "../../../src/contract/operations.ts";
import type { User } from "../../../src/contract/types.ts";
import type { Json, Lies } from "../../accounts/oidc/lying-provider.ts";
import { newAddress, wrongPassword } from "./guessing.ts";
import { enrolledUser, origin, type RefusingWorld, startRefusing } from "./refusal-world.ts";

type Enrolled = Awaited<ReturnType<typeof enrolledUser>>;

/**
 * A row: `OPERATION: the step | status and code of the answer | record`. The record is `as NAME`, a sign-in of that account
 * refused by this code, or `by NAME`, a request of theirs; a reason is behind it; or the whole; `-` is no refusal.
 */
function partsOf(row: string) {
  const [, id = "", wanted = "", words = ""] = /^(\w+): .* \| (.*) \| (.*)$/.exec(row) ?? [];
  const [, kind = "", name, reason] = /^(as|by) (\S+)(?: \((\w+)\))?$/.exec(words) ?? [];
  const code = [wanted.split(" ")[1], ...(reason ? [reason] : [])].join("/");
  const records: Record<string, string> = {
    as: `sign_in.refused ${name === "nobody" ? "-" : name} ${code}`,
    by: `request.refused - ${code}${name === "nobody" ? "" : ` by ${name}`}`,
  };
  return { id: id as OperationId, wanted, record: records[kind] ?? words };
}

/** Refusals by ways in that no request of this file can bring about, and the tests that have them. */
const elsewhere: Record<string, string> = {
  "enableTwoFactor too_many_attempts": "none: a new secret's codes are not counted",
  "receiveBackup rate_limited": "test/contract/operations/refusals.test.ts, as every other rate_limited",
};

const wrongToken = "7k2m9p4qx3vz8wtn5hjr";
const noRecoveryCode = { recovery_code: "7k2m-9p4q-x3vz-8wtn" };
const operator = { sub: "person-1", preferred_username: "ada", groups: ["operators"] };
type Rows = Record<string, () => Promise<Answer>>;

/** The same from one address, until it is one too often. An answer behind a seal waits for two seconds of the agent. */
async function tooOften({ time }: RefusingWorld, ask: (from: string) => Promise<Answer>): Promise<Answer> {
  const from = newAddress();
  for (let count = 0; count < 100; count += 1) {
    const answer = await time.passUntil(ask(from));
    if (answer.status === 429) return answer;
  }
  throw new Error("it is never refused");
}

/** In this order: the last one ends the state that they are about. */
function setupRows(world: RefusingWorld): Rows {
  const setUp = (setup_token: string, from = newAddress()) => {
    const body = { setup_token, username: "first", password: goodPassword };
    return world.agent.call("POST", "/api/setup", { from, body });
  };
  const headers = { "x-setup-token": wrongToken };
  const upload = { headers: { ...headers, "content-type": "application/octet-stream" } };
  const restore = { headers, body: { passphrase: "any", check: true } };
  const restoring = (method: string, from = newAddress()) =>
    world.agent.call(method, "/api/setup/restore", { from, ...(method === "PUT" ? upload : restore) });
  return {
    "setUp: a wrong token | 401 setup_token_invalid | as nobody": () => setUp(wrongToken),
    "setUp: too many | 429 too_many_attempts | as nobody": () =>
      tooOften(world, (from) => setUp(wrongToken, from)),
    "receiveBackup: a wrong token | 401 setup_token_invalid | as nobody": () => restoring("PUT"),
    "receiveBackup: too many | 429 too_many_attempts | as nobody": () =>
      tooOften(world, (from) => restoring("PUT", from)),
    "restoreBackup: a wrong token | 401 setup_token_invalid | as nobody": () => restoring("POST"),
    "restoreBackup: too many | 429 too_many_attempts | as nobody": () =>
      tooOften(world, (from) => restoring("POST", from)),
    "setUp: the right token | 201 | -": () => setUp(world.setupToken()),
  };
}

describe("the record of each step of each way in", () => {
  const world = ofSuite(startRefusing);
  const post: typeof world.post = (...args) => world.post(...args);
  const call: typeof world.call = (...args) => world.call(...args);
  const root = (method: string, path: string, body: object) =>
    world.agent.call(method, path, { local: true, body });
  let ben: Enrolled;
  let lena: Enrolled;
  let greta: SignedIn;
  before(async () => {
    const { agent } = world;
    await agent.signedInAdmin();
    for (const name of ["anna", "carl", "emil", "finn"]) await agent.signedIn(name, "readonly");
    ben = await enrolledUser(world, "ben");
    lena = await enrolledUser(world, "lena");
    await ben.addPasskey();
    greta = await agent.signedIn("greta", "readonly");
  });

  const idOf = async (name: string): Promise<string> => {
    const { items } = await world.agent.read("/api/users?limit=200");
    return (items as User[]).find(({ username }) => username === name)?.id ?? assert.fail(name);
  };
  const change = async (name: string, body: object) => root("PUT", `/api/users/${await idOf(name)}`, body);
  const login = (username: string, password = goodPassword) =>
    post("/api/auth/login", { username, password });
  const repeated = (ask: (from: string) => Promise<Answer>) => tooOften(world, ask);
  const wrongCode = () => ({ code: wrongCodeOf(ben.secret) });
  const recover = (who: string, secrets: object, options: CallOptions = {}) =>
    post(`/api/users/${who}/2fa/recover`, secrets, options);
  const wrongSecrets = { password: wrongPassword, ...noRecoveryCode };

  const sessionOf = async (username: string, password = goodPassword): Promise<CallOptions> => ({
    token: (await world.agent.login(username, password)).token,
  });
  const admin = () => sessionOf(adminName, adminPassword);
  /** A session of an administrator whose proof is too old for a step-up. */
  const settled = async () => {
    const own = await admin();
    world.time.pass(301);
    return own;
  };
  const endedSession = async (): Promise<CallOptions> => {
    const { token, refreshToken } = await world.agent.login("finn", goodPassword);
    await world.agent.call("POST", "/api/auth/logout", { body: { refresh_token: refreshToken } });
    return { token };
  };
  const unready = async (): Promise<CallOptions> => {
    const { json } = await root("POST", "/api/users", { username: "unready", role: "admin" });
    return sessionOf("unready", json.initial_password);
  };
  const underPolicy = async (ask: () => Promise<Answer>) => {
    const require = (require_2fa: string) => root("PUT", "/api/system", { security: { require_2fa } });
    await require("all");
    return ask().finally(() => require("none"));
  };
  const program = async (made: object = {}): Promise<CallOptions> => {
    const body = { name: "fleet", scopes: ["system:read"], user_id: await idOf(adminName), ...made };
    return { token: (await root("POST", "/api/tokens", body)).json.token };
  };
  const passwords = (current_password: string, own: CallOptions) => {
    const body = { current_password, new_password: "seven lamps beside canals" };
    return call("PUT", "/api/auth/password", { ...own, body });
  };
  const enabling = async (codeFor: (secret: string) => string) => {
    const path = `/api/users/${greta.id}/2fa`;
    const own = await sessionOf("greta");
    const { json } = await call("POST", `${path}/setup`, own);
    return call("POST", `${path}/enable`, { ...own, body: { code: codeFor(json.secret) } });
  };
  const rescue = () => {
    const { token, text } = makeRescueToken(world.time.uptime());
    writeFileSync(join(world.agent.runDirectory, "rescue-token"), text, { mode: 0o600 });
    return post("/api/setup", { setup_token: token, username: "rescuer", password: goodPassword });
  };

  /** The proofs of ben, on a route that takes all of them; the code is taken after that of the session's own sign-in. */
  const proofRows = (
    id: "login" | "answerChallenge" | "reauthenticate" | "disableTwoFactor",
    by: "as" | "by",
    send: (proof: object, password?: string, own?: CallOptions) => Promise<Answer>,
  ): Rows => ({
    [`${id}: a password without its code | 401 totp_required | -`]: () => send({}),
    [`${id}: a wrong code | 401 totp_invalid | ${by} ben`]: () => send(wrongCode()),
    [`${id}: a used code | 401 totp_reused | ${by} ben`]: async () => {
      const [own, proof] = [await ben.session(), ben.rightCode()];
      await call("POST", "/api/auth/reauth", { ...own, body: { password: goodPassword, ...proof } });
      return send(proof, goodPassword, own);
    },
    [`${id}: a wrong recovery code | 401 recovery_code_invalid | ${by} ben`]: () => send(noRecoveryCode),
    [`${id}: a right code after ten wrong ones | 429 account_locked | ${by} ben`]: async () => {
      const own = await ben.session();
      for (let count = 0; count < 10; count += 1) await ben.login(wrongCode());
      const answer = await send(ben.rightCode(), goodPassword, own);
      await world.agent.call("POST", `/api/users/${ben.id}/unlock`, { local: true });
      return answer;
    },
  });
  /** The same in a session, where a guess is counted wherever it comes from. */
  const sessionRows = (id: "reauthenticate" | "disableTwoFactor", path: () => string): Rows => {
    const send = async (proof: object, password = goodPassword, own?: CallOptions) =>
      call("POST", path(), { ...(own ?? (await ben.session())), body: { password, ...proof } });
    return {
      ...proofRows(id, "by", send),
      [`${id}: a wrong password | 403 password_wrong | by ben`]: () => send(ben.rightCode(), wrongPassword),
      [`${id}: a wrong passkey | 401 passkey_invalid | by ben`]: async () => {
        const own = await ben.session();
        return send(ben.wrongPasskeyOf(await send({}, goodPassword, own)), goodPassword, own);
      },
      [`${id}: too many | 429 too_many_attempts | by ben`]: async () => {
        const own = await ben.session();
        return repeated((from) => send({}, wrongPassword, { ...own, from }));
      },
    };
  };

  const tokenRows = (id: "refresh" | "logout", right: 200 | 204): Rows => {
    const path = `/api/auth/${id}`;
    const withCookie = async (headersOf: (kept: Record<string, string>) => Record<string, string>) => {
      const body = { username: "anna", password: goodPassword, refresh: "cookie" };
      return post(path, {}, { headers: headersOf(keptOf(await post("/api/auth/login", body)).headers) });
    };
    return {
      [`${id}: the right token | ${right} | -`]: async () =>
        post(path, { refresh_token: (await world.agent.login("anna", goodPassword)).refreshToken }),
      [`${id}: a cookie without its binding | 401 invalid_token | session.cookie_refused anna invalid_token`]:
        () => withCookie(({ cookie = "" }) => ({ ...ownPage, cookie })),
      [`${id}: a cookie from another page | 403 forbidden | by nobody`]: () =>
        withCookie((kept) => ({ ...kept, "sec-fetch-site": "cross-site" })),
      [`${id}: none | 401 authentication_required | -`]: () => post(path, {}),
    };
  };

  const begin = (options: CallOptions = {}, more: object = {}) =>
    post("/api/auth/provider/begin", { origin, ...more }, options);
  const back = async (person: Json, path: string, options: CallOptions = {}, more: object = {}) => {
    const from = { from: newAddress(), ...options };
    const { json } = await begin(from, more);
    const query = world.provider.visit(json.authorization_url, person);
    return post(path, { flow_token: json.flow_token, query }, from);
  };
  const finish = (person: Json = operator) => back(person, "/api/auth/provider");
  const lying = (lies: Lies, ask: () => Promise<Answer>) => {
    world.provider.lie(lies);
    return ask().finally(() => world.provider.lie({}));
  };
  const cancelled: Lies = {
    back: (query) => {
      query.delete("code");
      query.set("error", "access_denied");
    },
  };
  const stepUpThere = async (person: Json = operator) => {
    const { access_token: token } = (await finish()).json;
    return back(person, "/api/auth/provider/reauth", { token }, { step_up: true });
  };
  const ofNoFlow = (path: string, options: CallOptions = {}) =>
    post(path, { flow_token: `stf_${"A".repeat(32)}`, query: "code=1&state=2" }, options);

  const strangers: Record<string, () => Promise<CallOptions>> = {
    "by no one | 401 authentication_required | by nobody": async () => ({}),
    "in a session that has ended | 401 invalid_token | -": endedSession,
    "by one who only reads | 403 forbidden | by anna": () => sessionOf("anna"),
    "by a program | 403 token_not_allowed | by nobody": program,
    "without a step-up | 401 step_up_required | -": settled,
    "with a one-use password | 403 password_change_required | -": unready,
  };

  const rows: Rows = {
    "login: a password | 200 | -": () => login("anna"),
    "login: a wrong password | 401 invalid_credentials | as anna": () => login("anna", wrongPassword),
    "login: a name that no one has | 401 invalid_credentials | as nobody": () => login("nemo"),
    "login: too many | 429 too_many_attempts | as carl": () =>
      repeated((from) => post("/api/auth/login", { username: "carl", password: wrongPassword }, { from })),
    ...proofRows("login", "as", (proof) => ben.login(proof)),
    "answerChallenge: a passkey | 200 | -": () => ben.second(ben.passkeyOf),
    ...proofRows("answerChallenge", "as", (proof) => ben.second(() => proof)),
    "answerChallenge: a wrong passkey | 401 passkey_invalid | as ben": () => ben.second(ben.wrongPasskeyOf),
    "answerChallenge: a challenge that has ended | 401 challenge_invalid | -": () =>
      post("/api/auth/totp", { challenge_token: `stc_${"A".repeat(32)}`, code: "123456" }),
    "answerChallenge: too many | 429 too_many_attempts | as ben": () =>
      repeated(async (from) => {
        const { challenge_token } = (await ben.login()).json;
        return post("/api/auth/totp", { challenge_token, ...noRecoveryCode }, { from });
      }),
    "recoverTwoFactor: a wrong password, by name | 401 invalid_credentials | as ben": () =>
      recover("ben", wrongSecrets),
    "recoverTwoFactor: of a name that no one has | 401 invalid_credentials | as nobody": () =>
      recover("nemo", wrongSecrets),
    "recoverTwoFactor: too many | 429 too_many_attempts | as emil": () =>
      repeated((from) => recover("emil", wrongSecrets, { from })),
    ...Object.fromEntries(
      Object.entries(strangers).map(([row, as]) => [
        `recoverTwoFactor: for another, ${row}`,
        async () => recover("ben", { reason: "lost" }, await as()),
      ]),
    ),
    "recoverTwoFactor: for another, without the second factor that is asked for | 403 two_factor_enrolment_required | -":
      () => underPolicy(async () => recover("ben", { reason: "lost" }, await admin())),
    "setUp: the right token of rescue | 201 | -": () => rescue(),
    "beginAtProvider: a sign-in | 200 | -": () => begin(),
    "beginAtProvider: a step-up without a session | 401 authentication_required | by nobody": () =>
      begin({}, { step_up: true }),
    "beginAtProvider: a step-up of an account of the device | 403 forbidden | by anna": async () =>
      begin(await sessionOf("anna"), { step_up: true }),
    "signInAtProvider: what the provider sent | 200 | -": () => finish(),
    "signInAtProvider: without a role any more | 403 role_missing | as ada": () =>
      finish({ ...operator, groups: [] }),
    "signInAtProvider: never with a role | 403 role_missing | as nobody": () =>
      finish({ ...operator, sub: "person-2", groups: [] }),
    "signInAtProvider: of no sign-in that was begun | 401 provider_refused | as nobody (flow)": () =>
      ofNoFlow("/api/auth/provider"),
    "signInAtProvider: cancelled by the person | 401 provider_refused | -": () =>
      lying(cancelled, () => finish()),
    "signInAtProvider: too many | 429 too_many_attempts | as nobody": () =>
      repeated((from) => ofNoFlow("/api/auth/provider", { from })),
    "stepUpAtProvider: what the provider sent | 200 | -": () => stepUpThere(),
    "stepUpAtProvider: as another | 401 provider_refused | by ada (subject)": () =>
      stepUpThere({ ...operator, sub: "person-3", preferred_username: "eve" }),
    "stepUpAtProvider: without a role any more | 403 role_missing | request.refused ada role_missing by ada":
      () => stepUpThere({ ...operator, groups: [] }),
    "stepUpAtProvider: too many | 429 too_many_attempts | by ada": async () => {
      const { access_token: token } = (await finish()).json;
      return repeated((from) => ofNoFlow("/api/auth/provider/reauth", { from, token }));
    },
    "signInAtProvider: disabled on the device | 403 forbidden | as ada": async () => {
      await change("ada", { enabled: false });
      return finish();
    },
    "beginAtProvider: at one without PKCE | 401 provider_refused | as nobody (pkce)": () => {
      world.time.pass(301);
      const discovery = (truth: Json) => ({ ...truth, code_challenge_methods_supported: ["plain"] });
      return lying({ discovery }, () => begin());
    },
    ...tokenRows("refresh", 200),
    ...tokenRows("logout", 204),
    "changePassword: a wrong one | 403 password_wrong | by anna": async () =>
      passwords(wrongPassword, await sessionOf("anna")),
    "changePassword: the right one | 204 | -": async () => passwords(goodPassword, await sessionOf("anna")),
    "changePassword: too many | 429 too_many_attempts | by emil": async () => {
      const own = await sessionOf("emil");
      return repeated((from) => passwords(wrongPassword, { ...own, from }));
    },
    "endSession: of another, without a step-up | 401 step_up_required | -": async () => {
      const path = `/api/auth/sessions/ses_${"0".repeat(32)}?user_id=${await idOf("emil")}`;
      return call("DELETE", path, await settled());
    },
    "endSession: of one's own | 204 | -": async () => {
      const body = { username: "finn", password: goodPassword };
      const { json } = await world.agent.call("POST", "/api/auth/login", { body });
      return call("DELETE", `/api/auth/sessions/${json.session.id}`, { token: json.access_token });
    },
    ...sessionRows("reauthenticate", () => "/api/auth/reauth"),
    "reauthenticate: both | 200 | -": async () => {
      const own = await ben.session();
      const body = { password: goodPassword, ...ben.rightCode() };
      return call("POST", "/api/auth/reauth", { ...own, body });
    },
    "reauthenticate: root on the device | 403 forbidden | by local-root": () =>
      call("POST", "/api/auth/reauth", { local: true, body: { password: goodPassword } }),
    "enableTwoFactor: a wrong code | 401 totp_invalid | -": () => enabling(wrongCodeOf),
    "enableTwoFactor: the right one | 200 | -": () =>
      enabling((secret) => codeOf(secret, world.time.nowSeconds())),
    "addPasskey: one of the browser's | 200 | -": () => lena.addPasskey(),
    "makeRecoveryCodes: new ones | 200 | -": async () =>
      post(`${lena.path}/recovery-codes`, {}, await lena.session()),
    "disableTwoFactor: both | 200 | -": async () => {
      const own = await lena.session();
      const body = { password: goodPassword, ...lena.rightCode() };
      return call("POST", `${lena.path}/disable`, { ...own, body });
    },
    "setUpTwoFactor: a secret | 200 | -": async () =>
      call("POST", `${lena.path}/setup`, await sessionOf("lena")),
    "addPasskey: of another challenge | 401 passkey_invalid | by ben": () =>
      ben.addPasskey({ client_data: "AAAA" }),
    ...sessionRows("disableTwoFactor", () => `${ben.path}/disable`),
    "removePasskey: one's own | 204 | -": async () =>
      call("DELETE", `${ben.path}/passkeys/${await ben.onlyPasskey()}`, await ben.session()),
    "recoverTwoFactor: both secrets | 200 | -": () =>
      recover("ben", { password: goodPassword, ...ben.rightRecoveryCode() }),
    "getStatus: no token | 401 authentication_required | by nobody": () => call("GET", "/api/status"),
    "getStatus: no token of this device | 401 invalid_token | by nobody (malformed)": () =>
      call("GET", "/api/status", { token: "bad" }),
    "listUsers: one who only reads | 403 forbidden | by finn": async () =>
      call("GET", "/api/users", await sessionOf("finn")),
    "createUser: without a step-up | 401 step_up_required | -": async () =>
      call("POST", "/api/users", { ...(await settled()), body: { username: "x", role: "admin" } }),
    "enableTls: not on the device | 403 setup_token_required | -": async () =>
      call("POST", "/api/system/tls", await admin()),
    "enableTls: the same, with a wrong token | 401 setup_token_invalid | by root-admin": async () =>
      call("POST", "/api/system/tls", { ...(await admin()), body: { setup_token: wrongToken } }),
    "listLogs: an API token without the scope | 403 insufficient_scope | by root-admin/fleet": async () =>
      call("GET", "/api/logs", await program()),
    "getStatus: an API token from elsewhere | 401 invalid_token | request.refused root-admin/fleet invalid_token/source":
      async () => call("GET", "/api/status", await program({ sources: ["192.0.2.0/24"] })),
    "getStatus: an API token that no one has | 401 invalid_token | by nobody (revoked)": () =>
      call("GET", "/api/status", { token: `stw_${"A".repeat(43)}` }),
  };
  for (const [row, ask] of Object.entries(rows))
    it(row, async () => {
      const { id, wanted, record } = partsOf(row);
      const { answer, ...recorded } = await world.recordOf(await ask());
      assert.equal(await outcome(answer), wanted, answer.text);
      assert.equal(recorded.record, record);
      const [type, , reason = ""] = record.split(" ");
      const [code = ""] = reason.split("/");
      const hasSucceeded = operationOf(id).event === "sign_in.succeeded" && answer.status === 200;
      const outcomes = type === "sign_in.refused" ? [code] : hasSucceeded ? ["succeeded"] : [];
      assert.deepEqual(recorded.outcomes, outcomes);
    });

  /** The ways in, and the operations on one's own secrets. */
  const isOfWays = ({ path }: Operation) => /^\/api\/(auth|setup)|\/2fa/.test(path);

  it("is here for each refusal of a way in that the contract declares, each success, and each code that refuses", () => {
    const here = [...Object.keys(rows), ...Object.keys(setupRows(world))].map((row) => {
      const { id, wanted } = partsOf(row);
      return [id, ...wanted.split(" ").slice(1)].join(" ");
    });
    const declared = operationIds.flatMap((id) => {
      const operation = operationOf(id);
      if (!isOfWays(operation)) return [];
      const codes = (operation.errors ?? []).filter((code) => "refuses" in errorCodes[code]);
      return [...codes.map((code) => `${id} ${code}`), ...(operation.event === undefined ? [] : [id])];
    });
    const missing = declared.filter((pair) => !here.includes(pair));
    assert.deepEqual(
      missing,
      Object.keys(elsewhere).filter((pair) => declared.includes(pair)),
    );
    const refusing = Object.entries(errorCodes).flatMap(([code, row]) => ("refuses" in row ? [code] : []));
    const unseen = refusing.filter((code) => !here.some((pair) => pair.endsWith(` ${code}`)));
    assert.deepEqual(unseen, ["rate_limited"]);
  });
});

describe("the record of each way into a device without an administrator", () => {
  const world = ofSuite(startRefusing);
  const rows = setupRows(world);
  const made = new Map<string, Answer>();
  before(async () => {
    for (const [row, ask] of Object.entries(rows)) made.set(row, await ask());
  });

  // Only a device with an administrator shows its record.
  for (const row of Object.keys(rows))
    it(row, async () => {
      const { wanted, record } = partsOf(row);
      const answer = made.get(row) ?? assert.fail("it was not asked");
      assert.equal(await outcome(answer), wanted, answer.text);
      assert.equal((await world.recordOf(answer)).record, record);
    });
});
