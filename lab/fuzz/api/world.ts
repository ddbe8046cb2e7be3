import type { OperationId } from "../../../src/contract/operations.ts";
import type { Scope } from "../../../src/contract/scopes.ts";
import type { Answer } from "../../agents/running-agent.ts";
import { isDrawn } from "../arbitraries.ts";

export type Role = "admin" | "operator" | "readonly";

/** A user as far as the requests that were answered with success say. */
export interface Person {
  readonly id: string;
  readonly username: string;
  role: Role;
  isEnabled: boolean;
  mustChange: boolean;
  password: string;
  /** The secret of an authenticator; null: no second factor. */
  secret: string | null;
  recoveryCodes: string[];
  /** The last time step whose code was sent, which no sign-in may use again. */
  usedStep: number;
}

/** A session's access token, or an API token. */
export interface Credential {
  readonly kind: "session" | "token";
  readonly person: Person;
  readonly id: string;
  bearer: string;
  refresh: string;
  readonly scopes: readonly Scope[];
  /** On performance.now(), or null. */
  steppedUpAt: number | null;
  /** `doubtful`: the agent may have ended it for a reason that this world does not follow. */
  state: "live" | "doubtful" | "dead";
}

/** The sender of a request. */
export type Actor =
  | { readonly kind: "anonymous" }
  | { readonly kind: "root" }
  | { readonly kind: "stranger"; readonly bearer: string }
  | { readonly kind: "credential"; readonly credential: Credential };

/** An operation that has succeeded, with the parameters of its path; its body was taken, so it has the operation's form. */
interface Success {
  readonly actor: Actor;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Answer["json"];
  readonly json: Answer["json"];
}

/** Sessions of a user beyond which the agent ends the oldest ones (docs/sign-in.md). */
const mostSessions = 10;

/** Ended credentials that are remembered, to be tried again. */
const mostDead = 300;

/** The agent's users and their credentials, as far as they are known. */
export class World {
  readonly people = new Map<string, Person>();
  credentials: Credential[] = [];
  readonly dead: Credential[] = [];
  /** Refresh tokens that were exchanged, with the session that they belonged to. */
  readonly spent: { refresh: string; credential: Credential; at: number }[] = [];

  /** Everything that may appear in no error and no log. */
  secrets(): string[] {
    const people = [...this.people.values()];
    const ofPeople = people.flatMap(({ password, secret, recoveryCodes }) => [
      ...[password, secret ?? "", ...recoveryCodes],
    ]);
    const bearers = this.credentials.flatMap(({ bearer, refresh }) => [bearer, refresh]);
    return [...ofPeople, ...bearers].filter((text) => text.length >= 12 && !isDrawn(text));
  }

  /** Takes over the consequences of a success for those who are signed in. All else leaves the world as it is. */
  follow(id: OperationId, success: Success): void {
    effects[id]?.(this, success);
  }

  /** Takes over what an answer says of a user. */
  learn(user: Answer["json"], password?: string): Person {
    const { id, username, role, enabled: isEnabled, must_change_password: mustChange } = user;
    const unknown = { id, username, password: "", secret: null, recoveryCodes: [], usedStep: 0 };
    const person: Person = this.people.get(id) ?? { ...unknown, role, isEnabled, mustChange };
    Object.assign(person, { role, isEnabled, mustChange, ...(password !== undefined && { password }) });
    this.people.set(id, person);
    return person;
  }

  /** A sign-in's session. */
  opened({ user, session, access_token, refresh_token }: Answer["json"], isSteppedUp: boolean): Credential {
    const person = this.learn(user);
    const credential: Credential = {
      ...{ kind: "session", person, id: session.id, scopes: [], state: "live" },
      ...{ bearer: access_token, refresh: refresh_token ?? "" },
      steppedUpAt: isSteppedUp ? performance.now() : null,
    };
    this.credentials.push(credential);
    const own = this.credentials.filter((one) => one.person === person && one.kind === "session");
    for (const one of own.slice(0, -mostSessions)) one.state = "doubtful";
    return credential;
  }

  end(isEnded: (credential: Credential) => boolean): void {
    const ended = this.credentials.filter(isEnded);
    for (const credential of ended) credential.state = "dead";
    this.dead.push(...ended);
    this.dead.splice(0, this.dead.length - mostDead);
    this.credentials = this.credentials.filter(({ state }) => state === "live");
  }

  endSessions(id = "", except?: Credential): void {
    this.end((one) => one.kind === "session" && one.person.id === id && one !== except);
  }

  /** The user has another password or no second factor: all sessions end, and tokens unless they are kept. */
  renewed(id: string, body?: { keep_tokens?: boolean }): void {
    this.endSessions(id);
    if (body?.keep_tokens !== true) this.end(({ kind, person }) => kind === "token" && person.id === id);
  }

  byRefresh(refresh: string | undefined): Credential | undefined {
    return this.credentials.find((one) => one.kind === "session" && one.refresh === refresh);
  }
}

type Effect = (world: World, success: Success) => void;

/** One that a session has on itself. */
function own(effect: (credential: Credential, world: World, success: Success) => void): Effect {
  return (world, success) => {
    const { actor } = success;
    if (actor.kind === "credential" && actor.credential.kind === "session")
      effect(actor.credential, world, success);
  };
}

const signedIn: Effect = (world, { json, body }) => {
  const { person } = world.opened(json, body.recovery_code === undefined && !json.user.must_change_password);
  person.recoveryCodes = person.recoveryCodes.filter((code) => code !== body.recovery_code);
};

/** An effect on the person of a session, whose other sessions end. */
function renewing(changed: (success: Success) => Partial<Person>): Effect {
  return own((credential, world, success) => {
    Object.assign(credential.person, changed(success));
    world.endSessions(credential.person.id, credential);
  });
}

/** As docs/sign-in.md says. */
const effects: { readonly [Id in OperationId]?: Effect } = {
  createUser: (world, { json, body }) => void world.learn(json, body.password ?? json.initial_password),
  updateUser: (world, { json }) => {
    world.learn(json);
    if (!json.enabled) world.endSessions(json.id);
  },
  deleteUser: (world, { params: { id = "" } }) => {
    world.renewed(id);
    world.people.delete(id);
  },
  resetPassword: (world, { json, body }) => {
    world.learn(json, body?.password ?? json.initial_password);
    world.renewed(json.id, body);
  },
  rescueUser: (world, { json, body }) => {
    world.learn(json, json.initial_password).secret = null;
    world.renewed(json.id, body);
  },
  endUserSessions: (world, { params }) => world.endSessions(params.id),
  login: signedIn,
  answerChallenge: signedIn,
  refresh: (world, { json, body }) => {
    const credential = world.byRefresh(body?.refresh_token);
    if (!credential) return;
    world.spent.push({ refresh: credential.refresh, credential, at: performance.now() });
    Object.assign(credential, { bearer: json.access_token, refresh: json.refresh_token ?? "" });
  },
  logout: (world, { body }) => {
    const ended = world.byRefresh(body?.refresh_token);
    world.end((one) => one === ended);
  },
  endSession: (world, { params }) => world.end(({ id }) => id === params.sid),
  reauthenticate: own((credential) => {
    credential.steppedUpAt = performance.now();
  }),
  changePassword: renewing(({ body }) => ({ password: body.new_password, mustChange: false })),
  enableTwoFactor: renewing(({ json }) => ({ recoveryCodes: json.recovery_codes })),
  disableTwoFactor: renewing(() => ({ secret: null })),
  recoverTwoFactor: (world, { json, body }) => {
    const user = json.user ?? json;
    world.learn(user).secret = null;
    world.renewed(user.id, body);
    if (json.access_token) world.opened(json, false);
  },
  makeRecoveryCodes: own(({ person }, _, { json }) => {
    person.recoveryCodes = json.recovery_codes;
  }),
  createToken: (world, { json: { id, scopes, token: bearer, user_id } }) => {
    const person = world.people.get(user_id);
    const made = { id, scopes, bearer, refresh: "", steppedUpAt: null, state: "live" } as const;
    if (person) world.credentials.push({ kind: "token", person, ...made });
  },
  deleteToken: (world, { params }) => world.end(({ id }) => id === params.id),
};
