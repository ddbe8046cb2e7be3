import type { OperationId } from "../../../src/contract/operations.ts";
import type { Input } from "../../../src/contract/types.ts";
import type { Answer } from "../../agents/running-agent.ts";
import type { Actor, Credential, World } from "./world.ts";

/** An operation that has succeeded. */
export interface Success {
  readonly actor: Actor;
  /** The path has these parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly json: Answer["json"];
}

/** A request that was taken has the operation's form. */
type Taken<Id extends OperationId> = Success & Pick<Input<Id>, "body">;

type Effect<Id extends OperationId> = (world: World, taken: Taken<Id>) => void;

/** The consequences for those who are signed in, as docs/sign-in.md says. All else leaves the world as it is. */
const effects: { readonly [Id in OperationId]?: Effect<Id> } = {
  createUser: (world, { json, body }) => {
    world.learn(json, body.password ?? json.initial_password);
  },
  updateUser: (world, { json }) => {
    world.learn(json);
    if (!json.enabled) world.endSessions(json.id);
  },
  deleteUser: (world, { params }) => {
    world.endSessions(params.id ?? "");
    world.endTokens(params.id ?? "");
    world.people.delete(params.id ?? "");
  },
  resetPassword: (world, { json, body }) => {
    world.learn(json, body?.password ?? json.initial_password);
    newCredentials(world, json.id, body);
  },
  rescueUser: (world, { json, body }) => {
    const person = world.learn(json, json.initial_password);
    person.secret = null;
    newCredentials(world, json.id, body);
  },
  endUserSessions: (world, { params }) => world.endSessions(params.id ?? ""),
  login: (world, { json, body }) => {
    const person = world.opened(
      json,
      body.recovery_code === undefined && !json.user.must_change_password,
    ).person;
    person.recoveryCodes = person.recoveryCodes.filter((code) => code !== body.recovery_code);
  },
  answerChallenge: (world, { json, body }) => {
    const person = world.opened(
      json,
      body.recovery_code === undefined && !json.user.must_change_password,
    ).person;
    person.recoveryCodes = person.recoveryCodes.filter((code) => code !== body.recovery_code);
  },
  refresh: (world, { json, body }) => {
    const credential = byRefresh(world, body?.refresh_token);
    if (!credential) return;
    world.spent.push({ refresh: credential.refresh, credential, at: performance.now() });
    credential.bearer = json.access_token;
    credential.refresh = json.refresh_token ?? "";
  },
  logout: (world, { body }) => {
    const ended = byRefresh(world, body?.refresh_token);
    world.end(({ id }) => id === ended?.id);
  },
  endSession: (world, { params }) => world.end(({ id }) => id === params.sid),
  reauthenticate: (_, { actor }) => {
    const credential = ownOf(actor);
    if (credential) credential.steppedUpAt = performance.now();
  },
  changePassword: (world, { actor, body }) => {
    const credential = ownOf(actor);
    if (!credential) return;
    credential.person.password = body.new_password;
    credential.person.mustChange = false;
    world.endSessions(credential.person.id, credential);
  },
  enableTwoFactor: (world, { actor, json }) => {
    const credential = ownOf(actor);
    if (!credential) return;
    credential.person.recoveryCodes = json.recovery_codes;
    world.endSessions(credential.person.id, credential);
  },
  disableTwoFactor: (world, { actor }) => {
    const credential = ownOf(actor);
    if (!credential) return;
    credential.person.secret = null;
    world.endSessions(credential.person.id, credential);
  },
  recoverTwoFactor: (world, { json, body }) => {
    const user = json.user ?? json;
    world.learn(user).secret = null;
    newCredentials(world, user.id, body);
    if (json.access_token) world.opened(json, false);
  },
  makeRecoveryCodes: (_, { actor, json }) => {
    const credential = ownOf(actor);
    if (credential) credential.person.recoveryCodes = json.recovery_codes;
  },
  createToken: (world, { json }) => {
    const person = world.person(json.user_id);
    if (!person) return;
    const { id, scopes, token: bearer } = json;
    const credential = { kind: "token", person, id, scopes, bearer, refresh: "" } as const;
    world.credentials.push({ ...credential, steppedUpAt: null, state: "live" });
  },
  deleteToken: (world, { params }) => world.end(({ id }) => id === params.id),
};

/** Follows a success. */
export function follow(world: World, id: OperationId, success: Success): void {
  const effect: Effect<never> | undefined = effects[id];
  effect?.(world, success as Taken<never>);
}

function newCredentials(world: World, id: string, body: { keep_tokens?: boolean } | undefined): void {
  world.endSessions(id);
  if (body?.keep_tokens !== true) world.endTokens(id);
}

function byRefresh(world: World, refresh: string | undefined): Credential | undefined {
  return world.credentials.find((one) => one.kind === "session" && one.refresh === refresh);
}

function ownOf(actor: Actor): Credential | undefined {
  return actor.kind === "credential" && actor.credential.kind === "session" ? actor.credential : undefined;
}
