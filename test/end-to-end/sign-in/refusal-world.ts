import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goodPassword, type SignedIn, startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { type Enrolled, enrol } from "../../../lab/agents/enrol.ts";
import type { Answer, CallOptions } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { samplesOf } from "../../../lab/basics/metrics-samples.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { softwarePasskey } from "../../../lab/basics/software-passkey.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { toldClock } from "../../../lab/simulated/told-clock.ts";
import type { AuditEvent } from "../../../src/contract/types.ts";
import { clientId, clientSecret, startLyingProvider } from "../../accounts/oidc/lying-provider.ts";
import { newAddress } from "./guessing.ts";

export const origin = "https://edge-7.example.net:8443";

/** An agent with a provider, in a time that the test lets pass. */
export async function startRefusing() {
  const time = standingTime();
  const provider = await startLyingProvider(time.nowSeconds);
  const write = (name: string, text: string): string => {
    const path = join(scratchDirectory(), name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const oidc = {
    ...{ name: "Example Works", issuer: provider.issuer, client_id: clientId, origins: [origin] },
    ...{ client_secret_file: write("secret", `${clientSecret}\n`), roles: { operator: ["operators"] } },
    ...{ ca_file: provider.caFile, allow_local_servers: true },
  };
  const agent = await startCheckedAgent({
    time,
    openClock: toldClock(
      () => ({ trust: "trusted" }),
      () => undefined,
    ),
    arguments: ["--host-file", write("steward.json", JSON.stringify({ oidc }))],
  });
  const metrics = async () => samplesOf((await agent.call("GET", "/api/metrics", { local: true })).text);
  let before: Awaited<ReturnType<typeof metrics>> = new Map();
  const page = { host: `localhost:${agent.port}`, origin: `http://localhost:${agent.port}` };
  /** From an address of its own, since refusals of one client are counted together. */
  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    before = await metrics();
    return agent.call(method, path, { from: newAddress(), ...options });
  };
  /**
   * Looks at once into record and metrics. `record`: `TYPE ACCOUNT CODE`, with `by ACTOR` for one who is known; `-`: no
   * refusal. `outcomes`: those of `steward_sign_ins_total` that went up.
   */
  const recordOf = async (answer: Answer) => {
    const now = await metrics();
    const more = [...now].filter(([name, value]) => value > (before.get(name) ?? 0)).map(([name]) => name);
    const outcomes = more.flatMap((name) => /^steward_sign_ins_total\{outcome="(\w+)"/.exec(name)?.[1] ?? []);
    const json = await agent.read("/api/events?outcome=refused&limit=20");
    const id = answer.headers["x-request-id"];
    const own = (json.items as AuditEvent[]).filter(({ request_id }) => request_id === id);
    const counted = own.filter(({ type }) => more.includes(`steward_events_total{type="${type}"}`));
    return { answer, record: counted.map(lineOf).join("; ") || "-", outcomes };
  };
  return {
    ...{ agent, time, provider, page, call, recordOf },
    post: (path: string, body: object, options: CallOptions = {}) => call("POST", path, { body, ...options }),
    setupToken: () => readFileSync(join(agent.runDirectory, "setup-token"), "utf8").trim(),
    dispose: async () => {
      await provider.stop();
      await agent.dispose();
    },
  };
}

export type RefusingWorld = Awaited<ReturnType<typeof startRefusing>>;

function lineOf({ type, subject, code, details, actor }: AuditEvent): string {
  const reason = details.reason === undefined ? "" : `/${details.reason}`;
  const by = actor.kind === "anonymous" || actor.kind === "agent" ? "" : ` by ${actor.name ?? actor.kind}`;
  return `${type} ${subject?.name ?? "-"} ${code}${reason}${by}`;
}

export async function enrolledUser({ agent, time, page, post, call }: RefusingWorld, username: string) {
  const user: SignedIn = await agent.signedIn(username, "readonly");
  const factor: Enrolled = await enrol(agent.call, { ...user, password: goodPassword }, time.nowSeconds());
  const recoveryCodes = [...factor.recoveryCodes];
  const key = softwarePasskey();
  const passkeyPage = { origin: page.origin, host: "localhost" };
  /** Each code is good once, so the next one is waited for. */
  const rightCode = () => {
    time.pass(30);
    return { code: codeOf(factor.secret, time.nowSeconds()) };
  };
  const login = (proof: object = {}) =>
    post("/api/auth/login", { username, password: goodPassword, ...proof }, { headers: page });
  const session = async (): Promise<CallOptions> => ({
    token: (await login(rightCode())).json.access_token,
    headers: page,
  });
  const path = `/api/users/${user.id}/2fa`;
  return {
    ...{ ...user, ...factor, username, path, login, session, rightCode },
    rightRecoveryCode: () => ({ recovery_code: recoveryCodes.pop() }),
    /** The next step of a sign-in, whose password was right. */
    second: async (proofOf: (asked: Answer) => object) => {
      const asked = await login();
      const { challenge_token } = asked.json;
      return post("/api/auth/totp", { challenge_token, ...proofOf(asked) }, { headers: page });
    },
    passkeyOf: ({ json }: Answer) => ({ passkey: key.use(json.passkey.challenge, passkeyPage) }),
    wrongPasskeyOf: ({ json }: Answer) => ({
      passkey: { ...key.use(json.passkey.challenge, passkeyPage), signature: "AAAA" },
    }),
    onlyPasskey: async (): Promise<string> => (await agent.read(path)).passkeys[0].id,
    addPasskey: async (change: object = {}) => {
      const own = await session();
      const { json } = await call("POST", `${path}/passkeys/begin`, own);
      const made = { name: "Phone", ...key.make(json.challenge, passkeyPage), ...change };
      return post(`${path}/passkeys`, made, own);
    },
  };
}
