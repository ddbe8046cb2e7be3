import { scopeNames } from "../../../src/contract/scopes.ts";
import { codeOf } from "../../basics/authenticator.ts";
import type { Chance } from "../../basics/chance.ts";
import { draw, drawn, oneOf, percent } from "../draw.ts";
import type { Bench } from "./bench.ts";
import { addresses, freshPasswords } from "./wild.ts";
import type { Credential, Person, Role } from "./world.ts";

const root = { kind: "root" } as const;
const anonymous = { kind: "anonymous" } as const;
const as = (credential: Credential) => ({ kind: "credential", credential }) as const;
const roles: readonly Role[] = ["admin", "operator", "readonly"];

/** Users beyond which some are deleted, so that lists stay as long as those of a device. */
const mostPeople = 20;

/** Ten seconds, in which a repetition gets the same answer again (docs/sign-in.md), and some for the way. */
const repeatedMilliseconds = 15_000;

type Walk = (bench: Bench, chance: Chance) => Promise<unknown>;

/** One of a live session, if there is any. */
function ofSession(walk: (bench: Bench, credential: Credential, chance: Chance) => Promise<unknown>): Walk {
  return async (bench, chance) => {
    const live = bench.world.credentials.filter(({ kind, state }) => kind === "session" && state === "live");
    if (live.length > 0) await walk(bench, oneOf(chance, live), chance);
  };
}

const refreshed = (bench: Bench, { refresh: refresh_token }: Credential) =>
  bench.act(anonymous, "refresh", { body: { refresh_token } });

/** People and programs work in good order, so that a wild request finds users, sessions and tokens of every kind. */
const walks = {
  signIn: (bench, chance) => signInAs(bench, chance, oneOf(chance, roles)),
  refresh: ofSession(refreshed),
  makeToken: ofSession((bench, credential, chance) => {
    const scopes = scopeNames.filter(() => percent(chance, 50));
    const body = { name: "a program", scopes: scopes.length > 0 ? scopes : ["system:read"] };
    return bench.act(as(credential), "createToken", { body });
  }),
  stepUp: ofSession((bench, credential, chance) => {
    const code = nextCode(credential.person);
    const body = { password: credential.person.password, ...(code !== null && { code }) };
    return bench.act(as(credential), "reauthenticate", { body, from: drawn(chance, addresses) });
  }),
  changePassword: ofSession((bench, credential, chance) => {
    const body = {
      current_password: credential.person.password,
      new_password: drawn(chance, freshPasswords),
    };
    return bench.act(as(credential), "changePassword", { body, from: drawn(chance, addresses) });
  }),
  enrol: ofSession(async (bench, credential) => {
    const params = { id: credential.person.id };
    const setUp = await bench.act(as(credential), "setUpTwoFactor", { params });
    if (setUp?.status !== 200) return;
    const { secret } = setUp.json;
    const usedStep = Math.floor(Date.now() / 30_000);
    const body = { code: codeOf(secret, usedStep * 30), allow_unsynchronised_clock: true };
    const enabled = await bench.act(as(credential), "enableTwoFactor", { params, body });
    if (enabled?.status === 200) Object.assign(credential.person, { secret, usedStep });
  }),
  leave: ofSession((bench, { refresh: refresh_token }) =>
    bench.act(anonymous, "logout", { body: { refresh_token } }),
  ),
  /** A person, or root, ends things that the person has made. */
  endOne: async (bench, chance) => {
    if (bench.world.credentials.length === 0) return;
    const one = oneOf(chance, bench.world.credentials);
    const { person, id, kind } = one;
    if (kind === "token") await bench.act(root, "deleteToken", { params: { id } });
    else if (percent(chance, 50)) await bench.act(root, "endUserSessions", { params: { id: person.id } });
    else await bench.act(as(one), "endSession", { params: { sid: id } });
  },
  /** A credential that has ended opens nothing, however long ago that was. */
  tryEnded: async (bench, chance) => {
    if (bench.world.dead.length === 0) return;
    const ended = oneOf(chance, bench.world.dead);
    const answer = await bench.act(as(ended), "getStatus");
    if (answer && answer.status !== 401) bench.find(`an ended ${ended.kind} was answered ${answer.status}`);
    const again = ended.kind === "session" && (await refreshed(bench, ended));
    if (again && again.status < 400) bench.find("the refresh token of an ended session was exchanged");
  },
  /** A refresh token that was exchanged ends its session when it comes again. */
  trySpent: async (bench, chance) => {
    const { world } = bench;
    const old = world.spent.filter(({ at }) => performance.now() - at > repeatedMilliseconds);
    if (old.length === 0) return;
    const one = oneOf(chance, old);
    world.spent.splice(world.spent.indexOf(one), 1);
    const answer = await bench.act(anonymous, "refresh", { body: { refresh_token: one.refresh } });
    if (answer?.status === 401) world.end((credential) => credential === one.credential);
    else if (answer) bench.find(`a spent refresh token was answered ${answer.status}`);
  },
  /** A credential that should live. One that does not is forgotten: a limit may have ended it. */
  useLive: ofSession(async (bench, credential) => {
    if (!credential.person.isEnabled) return;
    const answer = await bench.act(as(credential), "getMe");
    if (answer?.status !== 401) return;
    // A wild request has set the agent's clock: the session goes on with new tokens (docs/sign-in.md).
    if (answer.json.reason === "clock_epoch") await refreshed(bench, credential);
    else credential.state = "doubtful";
  }),
} satisfies Record<string, Walk>;

const inOrder: readonly Walk[] = [
  ...Object.values(walks),
  ...[walks.signIn, walks.refresh, walks.tryEnded, walks.useLive],
];

export async function actInOrder(bench: Bench, chance: Chance): Promise<void> {
  await oneOf(chance, inOrder)(bench, chance);
}

/** Two users of each role at least, and rules that let them in. */
export async function tend(bench: Bench, chance: Chance): Promise<void> {
  const { people } = bench.world;
  const isUsable = ({ isEnabled, mustChange, password }: Person) =>
    isEnabled && !mustChange && password !== "";
  const sessions = { session_idle: "60m", session_absolute: "24h" };
  const security = { require_2fa: "none", password_min_length: 15, ...sessions };
  await bench.act(root, "updateSettings", { body: { security } });
  for (const role of roles) {
    const usable = [...people.values()].filter((one) => one.role === role && isUsable(one));
    for (let missing = 2 - usable.length; missing > 0; missing -= 1) {
      const username = `${role}-${draw(chance, 2 ** 31).toString(36)}`;
      const body = { username, role, password: drawn(chance, freshPasswords) };
      await bench.act(root, "createUser", { body });
    }
  }
  for (const id of [...people.keys()].slice(0, Math.max(0, people.size - mostPeople)))
    await bench.act(root, "deleteUser", { params: { id } });
  for (const role of roles) {
    const isOne = ({ kind, person }: Credential) =>
      kind === "session" && person.role === role && isUsable(person);
    if (bench.world.credentials.filter(isOne).length < 2) await signInAs(bench, chance, role);
  }
}

async function signInAs(bench: Bench, chance: Chance, role: Role): Promise<void> {
  const able = [...bench.world.people.values()].filter(
    (one) => one.role === role && one.isEnabled && one.password !== "",
  );
  if (able.length === 0) return;
  const person = oneOf(chance, able);
  const { id, username, password, recoveryCodes } = person;
  const from = drawn(chance, addresses);
  const first = await bench.act(anonymous, "login", { body: { username, password }, from });
  if (first?.json?.code === "account_locked" || first?.status === 429)
    await bench.act(root, "unlockUser", { params: { id } });
  const challenge_token = first?.json?.challenge_token;
  if (challenge_token === undefined) return;
  const code = nextCode(person);
  const proof = code === null ? { recovery_code: recoveryCodes[0] ?? "none" } : { code };
  await bench.act(anonymous, "answerChallenge", { body: { challenge_token, ...proof }, from });
}

/** A code of a step that was not used, of now or of the next one, which the agent takes as well; null: they are used. */
function nextCode(person: Person): string | null {
  const now = Math.floor(Date.now() / 30_000);
  const step = Math.max(person.usedStep + 1, now);
  if (person.secret === null || step > now + 1) return null;
  person.usedStep = step;
  return codeOf(person.secret, step * 30);
}
