import type { Operation } from "../../../src/contract/operations/operation.ts";
import { type OperationId, operationOf } from "../../../src/contract/operations.ts";
import { settings as settingsSchema } from "../../../src/contract/schemas/settings.ts";
import type { Settings } from "../../../src/contract/types.ts";
import { changedMembers } from "../../../src/system/settings/changes.ts";
import { checkAnswer } from "../../agents/answer-rules.ts";
import type { Answer } from "../../agents/running-agent.ts";
import type { Request, Send } from "./client.ts";
import { forbiddance } from "./permitted.ts";
import { type Actor, World } from "./world.ts";

/** The parts of a request without its sender. */
export interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  /** JSON. */
  readonly body?: unknown;
  /** Instead of JSON. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly from?: string;
  readonly method?: string;
}

/** Sends requests and judges the answers by the contract, by who may do what, and by the secrets that were given. */
export class Bench {
  requests = 0;
  /** Operations that have succeeded, and successes of each kind of caller. */
  readonly succeeded = new Set<OperationId>();
  readonly callers = new Map<string, number>();
  /** True where users, tokens or settings may have changed since this was last set to false. */
  hasChanged = true;
  /** As the agent showed them last. */
  #settings: Settings | null = null;
  /** Each with the request that led to it: the seed makes them again. */
  readonly findings: string[] = [];
  readonly world = new World();
  readonly #send: Send;
  #present = "";

  constructor(send: Send) {
    this.#send = send;
  }

  find(what: string): void {
    this.findings.push(`request ${this.requests} (${this.#present.slice(0, 160)}): ${what}`.slice(0, 600));
  }

  /** Null: no answer came, which is a finding. */
  async act(actor: Actor, id: OperationId, given: Given = {}): Promise<Answer | null> {
    const request = requestOf(operationOf(id), actor, given);
    const { method, path, body = "" } = request;
    this.#present = `${nameOf(actor)} ${method} ${path.slice(0, 120)} ${String(body).slice(0, 200)}`;
    this.requests += 1;
    try {
      const answer = await this.#send(request);
      this.#judge(id, request, answer);
      // HEAD asks for no more than GET, and gives nothing that could be followed.
      if (answer.status < 400 && method === operationOf(id).method) this.#follow(actor, id, given, answer);
      return answer;
    } catch (error) {
      // The agent may end the connection before the answer is read where a body is larger than it reads.
      const isCutOff = String(body).length > 1_000_000 && String(error).includes("ECONNRESET");
      if (!isCutOff) this.find(`no answer: ${String(error)}`);
      return null;
    }
  }

  #judge(id: OperationId, { method, path }: Request, answer: Answer): void {
    const { status, json, text } = answer;
    if (json?.code === "internal_error" || status === 500) this.find(`answered ${text}`);
    try {
      if (!(operationOf(id).response.stream && status === 200)) checkAnswer(method, path, answer);
    } catch (error) {
      this.find(`against the contract: ${String(error).slice(0, 300)}`);
    }
    if (status >= 400 && this.world.secrets().some((secret) => text.includes(secret)))
      this.find(`the error repeats a secret: ${text.slice(0, 200)}`);
  }

  #follow(actor: Actor, id: OperationId, { params = {}, body = {} }: Given, { status, json }: Answer): void {
    const [operation, caller] = [operationOf(id), callerOf(actor)];
    const forbidden = forbiddance(operation, actor, params.id);
    if (forbidden !== null) this.find(`answered ${status} ${forbidden}`);
    this.succeeded.add(id);
    this.callers.set(caller, (this.callers.get(caller) ?? 0) + 1);
    if (operation.method !== "GET") this.hasChanged = true;
    if (id === "updateSettings") {
      const changed = this.#settings === null ? [] : changedMembers(settingsSchema, this.#settings, json);
      for (const { pointer } of changed.filter(({ writer }) => writer !== "operator"))
        if (!["root", "admin"].includes(caller)) this.find(`${pointer} was changed by ${nameOf(actor)}`);
      this.#settings = json;
    }
    this.world.follow(id, { actor, params, body, json });
  }
}

function requestOf(operation: Operation, actor: Actor, given: Given): Request {
  const { params = {}, query = {}, body, raw, from } = given;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? "x"));
  const textOf = (value: unknown): string =>
    typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, textOf(value)]);
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const { bearer } = actor.kind === "credential" ? actor.credential : { bearer: undefined, ...actor };
  return {
    method: given.method ?? operation.method,
    path: pairs.length > 0 ? `${path}?${new URLSearchParams(pairs)}` : path,
    ...(content !== undefined && { body: content }),
    ...(from !== undefined && { from }),
    isLocal: actor.kind === "root",
    headers: {
      ...(content !== undefined && { "content-type": "application/json" }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...given.headers,
    },
  };
}

function callerOf(actor: Actor): string {
  if (actor.kind !== "credential") return actor.kind;
  return actor.credential.kind === "token" ? "API token" : actor.credential.person.role;
}

function nameOf(actor: Actor): string {
  return actor.kind === "credential" ? `${callerOf(actor)} ${actor.credential.id}` : actor.kind;
}
