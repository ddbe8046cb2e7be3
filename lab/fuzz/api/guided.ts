import { scopeNames } from "../../../src/contract/scopes.ts";
import { codeOf } from "../../basics/authenticator.ts";
import type { Chance } from "../../basics/chance.ts";
import { draw, oneOf, percent } from "../draw.ts";
import type { Bench } from "./bench.ts";
import { anyAddress, freshPassword } from "./wild.ts";
import type { Actor, Credential, Person, Role } from "./world.ts";

const root: Actor = { kind: "root" };
const roles: readonly Role[] = ["admin", "operator", "readonly"];

/** Users beyond which some are deleted, so that lists stay as long as those of a device. */
const mostPeople = 20;

/** People and programs work in good order, so that a wild request finds users, sessions and tokens of every kind. */
export async function actInOrder(bench: Bench, chance: Chance): Promise<void> {
  await oneOf(chance, walks)(bench, chance);
}

type Walk = (bench: Bench, chance: Chance) => Promise<void>;

const walks: readonly Walk[] = [
  ...[signIn, signIn, refresh, refresh, makeToken, stepUp, changePassword, enrol, leave, endOne],
  ...[tryEnded, tryEnded, trySpent, useLive, useLive],
];

/** Two users of each role at least, and rules that let them in. */
export async function tend(bench: Bench, chance: Chance): Promise<void> {
  const { world } = bench;
  await bench.act(root, "updateSettings", {
    body: {
      security: {
        require_2fa: "none",
        session_idle: "60m",
        session_absolute: "24h",
        password_min_length: 15,
      },
    },
  });
  for (const role of roles) {
    const usable = [...world.people.values()].filter((one) => one.role === role && isUsable(one));
    for (let missing = 2 - usable.length; missing > 0; missing -= 1) await addPerson(bench, chance, role);
  }
  for (const person of [...world.people.values()].slice(0, Math.max(0, world.people.size - mostPeople)))
    await bench.act(root, "deleteUser", { params: { id: person.id } });
  for (const role of roles) {
    const signedIn = world.credentials.filter(
      (one) => one.kind === "session" && one.person.role === role && isUsable(one.person),
    );
    if (signedIn.length < 2) await signInAs(bench, chance, role);
  }
}

function isUsable({ isEnabled, mustChange, password }: Person): boolean {
  return isEnabled && !mustChange && password !== "";
}

async function addPerson(bench: Bench, chance: Chance, role: Role): Promise<void> {
  const username = `${role}-${draw(chance, 2 ** 31).toString(36)}`;
  await bench.act(root, "createUser", { body: { username, role, password: freshPassword(chance) } });
}

async function signIn(bench: Bench, chance: Chance): Promise<void> {
  await signInAs(bench, chance, oneOf(chance, roles));
}

async function signInAs(bench: Bench, chance: Chance, role: Role): Promise<void> {
  const able = [...bench.world.people.values()].filter(
    (one) => one.role === role && one.isEnabled && one.password !== "",
  );
  if (able.length === 0) return;
  const person = oneOf(chance, able);
  const { username, password, recoveryCodes } = person;
  const from = anyAddress(chance);
  const body = { username, password };
  const first = await bench.act({ kind: "anonymous" }, "login", { body, from });
  if (first?.json?.code === "account_locked" || first?.status === 429)
    await bench.act(root, "unlockUser", { params: { id: person.id } });
  const challenge_token = first?.json?.challenge_token;
  if (challenge_token === undefined) return;
  const code = nextCode(person);
  const proof = code === null ? { recovery_code: recoveryCodes[0] ?? "none" } : { code };
  await bench.act({ kind: "anonymous" }, "answerChallenge", { body: { challenge_token, ...proof }, from });
}

/** A code of a step that was not used, of now or of the next one, which the agent takes as well; null: they are used. */
function nextCode(person: Person): string | null {
  if (person.secret === null) return null;
  const now = Math.floor(Date.now() / 30_000);
  const step = Math.max(person.usedStep + 1, now);
  if (step > now + 1) return null;
  person.usedStep = step;
  return codeOf(person.secret, step * 30);
}

function session(bench: Bench, chance: Chance): Credential | null {
  const live = bench.world.credentials.filter(({ kind, state }) => kind === "session" && state === "live");
  return live.length === 0 ? null : oneOf(chance, live);
}

async function refresh(bench: Bench, chance: Chance): Promise<void> {
  const one = session(bench, chance);
  if (one) await bench.act({ kind: "anonymous" }, "refresh", { body: { refresh_token: one.refresh } });
}

async function makeToken(bench: Bench, chance: Chance): Promise<void> {
  const credential = session(bench, chance);
  if (!credential) return;
  const scopes = scopeNames.filter(() => percent(chance, 50));
  const body = { name: "a program", scopes: scopes.length > 0 ? scopes : ["system:read"] };
  await bench.act({ kind: "credential", credential }, "createToken", { body });
}

async function stepUp(bench: Bench, chance: Chance): Promise<void> {
  const credential = session(bench, chance);
  if (!credential) return;
  const code = nextCode(credential.person);
  const body = { password: credential.person.password, ...(code !== null && { code }) };
  await bench.act({ kind: "credential", credential }, "reauthenticate", { body, from: anyAddress(chance) });
}

async function changePassword(bench: Bench, chance: Chance): Promise<void> {
  const credential = session(bench, chance);
  if (!credential) return;
  const body = { current_password: credential.person.password, new_password: freshPassword(chance) };
  await bench.act({ kind: "credential", credential }, "changePassword", { body, from: anyAddress(chance) });
}

async function enrol(bench: Bench, chance: Chance): Promise<void> {
  const credential = session(bench, chance);
  if (!credential) return;
  const { person } = credential;
  const [actor, params] = [{ kind: "credential", credential } as const, { id: person.id }];
  const setUp = await bench.act(actor, "setUpTwoFactor", { params });
  if (setUp?.status !== 200) return;
  const { secret } = setUp.json;
  const step = Math.floor(Date.now() / 30_000);
  const body = { code: codeOf(secret, step * 30), allow_unsynchronised_clock: true };
  const enabled = await bench.act(actor, "enableTwoFactor", { params, body });
  if (enabled?.status === 200) Object.assign(person, { secret, usedStep: step });
}

async function leave(bench: Bench, chance: Chance): Promise<void> {
  const one = session(bench, chance);
  if (one) await bench.act({ kind: "anonymous" }, "logout", { body: { refresh_token: one.refresh } });
}

/** A person, or root, ends things that the person has made. */
async function endOne(bench: Bench, chance: Chance): Promise<void> {
  const { world } = bench;
  if (world.credentials.length === 0) return;
  const one = oneOf(chance, world.credentials);
  const { person, id, kind } = one;
  if (kind === "token") await bench.act(root, "deleteToken", { params: { id } });
  else if (percent(chance, 50)) await bench.act(root, "endUserSessions", { params: { id: person.id } });
  else await bench.act({ kind: "credential", credential: one }, "endSession", { params: { sid: id } });
}

/** A credential that has ended opens nothing, however long ago that was. */
async function tryEnded(bench: Bench, chance: Chance): Promise<void> {
  if (bench.world.dead.length === 0) return;
  const credential = oneOf(chance, bench.world.dead);
  const answer = await bench.act({ kind: "credential", credential }, "getStatus");
  if (answer && answer.status !== 401)
    bench.ledger.find(`an ended ${credential.kind} was answered ${answer.status}`);
  if (credential.kind !== "session") return;
  const body = { refresh_token: credential.refresh };
  const refreshed = await bench.act({ kind: "anonymous" }, "refresh", { body });
  if (refreshed && refreshed.status < 400)
    bench.ledger.find("the refresh token of an ended session was exchanged");
}

/** Ten seconds, in which a repetition gets the same answer again (docs/sign-in.md), and some for the way. */
const repeatedMilliseconds = 15_000;

/** A refresh token that was exchanged ends its session when it comes again. */
async function trySpent(bench: Bench, chance: Chance): Promise<void> {
  const { world } = bench;
  const old = world.spent.filter(({ at }) => performance.now() - at > repeatedMilliseconds);
  if (old.length === 0) return;
  const one = oneOf(chance, old);
  world.spent.splice(world.spent.indexOf(one), 1);
  const answer = await bench.act({ kind: "anonymous" }, "refresh", { body: { refresh_token: one.refresh } });
  if (!answer) return;
  if (answer.status !== 401) bench.ledger.find(`a spent refresh token was answered ${answer.status}`);
  else world.end((credential) => credential === one.credential);
}

/** A credential that should live. One that does not is forgotten, and counted: a limit may have ended it. */
async function useLive(bench: Bench, chance: Chance): Promise<void> {
  const credential = session(bench, chance);
  if (!credential?.person.isEnabled) return;
  const answer = await bench.act({ kind: "credential", credential }, "getMe");
  if (answer?.status !== 401) return;
  // A wild request has set the agent's clock: the session goes on with new tokens (docs/sign-in.md).
  if (answer.json.reason === "clock_epoch") {
    await bench.act({ kind: "anonymous" }, "refresh", { body: { refresh_token: credential.refresh } });
    return;
  }
  bench.ledger.count("a live session refused");
  credential.state = "doubtful";
}
