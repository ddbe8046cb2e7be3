import type { Scope } from "../../../src/contract/scopes.ts";
import type { Answer } from "../../agents/running-agent.ts";
import { isDrawn } from "../draw.ts";

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
  | { readonly kind: "stranger"; readonly bearer: string }
  | { readonly kind: "root" }
  | { readonly kind: "credential"; readonly credential: Credential };

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
    const people = [...this.people.values()].flatMap((one) => [
      one.password,
      ...(one.secret === null ? [] : [one.secret]),
      ...one.recoveryCodes,
    ]);
    const bearers = this.credentials.flatMap(({ bearer, refresh }) => [bearer, refresh]);
    return [...people, ...bearers].filter((secret) => secret.length >= 12 && !isDrawn(secret));
  }

  person(id: string): Person | undefined {
    return this.people.get(id);
  }

  /** Takes over what an answer says of a user. */
  learn(user: Answer["json"], password?: string): Person {
    const { id, username, role, enabled: isEnabled, must_change_password: mustChange } = user;
    const known = this.people.get(id);
    const person: Person = known ?? {
      ...{ id, username, role, isEnabled, mustChange, password: password ?? "" },
      ...{ secret: null, recoveryCodes: [], usedStep: 0 },
    };
    Object.assign(person, { role, isEnabled, mustChange });
    if (password !== undefined) person.password = password;
    this.people.set(id, person);
    return person;
  }

  /** A sign-in's session. */
  opened(answer: Answer["json"], isSteppedUp: boolean): Credential {
    const person = this.learn(answer.user);
    const credential: Credential = {
      ...{ kind: "session", person, id: answer.session.id, scopes: [], state: "live" },
      ...{ bearer: answer.access_token, refresh: answer.refresh_token ?? "" },
      steppedUpAt: isSteppedUp ? performance.now() : null,
    };
    this.credentials.push(credential);
    const own = this.credentials.filter((one) => one.person === person && one.kind === "session");
    for (const one of own.slice(0, -mostSessions)) one.state = "doubtful";
    return credential;
  }

  end(isEnded: (credential: Credential) => boolean): void {
    for (const credential of this.credentials.filter(isEnded)) {
      credential.state = "dead";
      this.dead.push(credential);
    }
    if (this.dead.length > mostDead) this.dead.splice(0, this.dead.length - mostDead);
    this.credentials = this.credentials.filter(({ state }) => state === "live");
  }

  endSessions(id: string, except?: Credential): void {
    this.end(({ kind, person, ...one }) => kind === "session" && person.id === id && one.id !== except?.id);
  }

  endTokens(id: string): void {
    this.end(({ kind, person }) => kind === "token" && person.id === id);
  }
}
