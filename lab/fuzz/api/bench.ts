import type { Operation } from "../../../src/contract/operations/operation.ts";
import { type OperationId, operationOf } from "../../../src/contract/operations.ts";
import { settings as settingsSchema } from "../../../src/contract/schemas/settings.ts";
import type { Settings } from "../../../src/contract/types.ts";
import { changedMembers } from "../../../src/system/settings/changes.ts";
import { checkAnswer } from "../../agents/answer-rules.ts";
import type { Answer } from "../../agents/running-agent.ts";
import { type Ledger, TooManyFindings } from "../ledger.ts";
import type { Request, Send } from "./client.ts";
import { follow } from "./effects.ts";
import { forbiddance } from "./permitted.ts";
import type { Actor, World } from "./world.ts";

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
  /** Operations that have succeeded. */
  readonly succeeded = new Map<OperationId, number>();
  /** Successes of each kind of caller. */
  readonly callers = new Map<string, number>();
  /** True where users, tokens or settings may have changed since this was last set to false. */
  hasChanged = true;
  /** As the agent showed them last. */
  #settings: Settings | null = null;

  readonly world: World;
  readonly send: Send;
  readonly ledger: Ledger;

  constructor(world: World, send: Send, ledger: Ledger) {
    this.world = world;
    this.send = send;
    this.ledger = ledger;
  }

  /** Null: no answer came, which is a finding. */
  async act(actor: Actor, id: OperationId, given: Given = {}): Promise<Answer | null> {
    const operation = operationOf(id);
    const request = requestOf(operation, actor, given);
    const { method, path, body } = request;
    this.ledger.begin(`${nameOf(actor)} ${method} ${path.slice(0, 120)} ${String(body ?? "").slice(0, 200)}`);
    this.requests += 1;
    try {
      const answer = await this.send(request);
      this.#judge({ actor, id, given, answer, method, path });
      return answer;
    } catch (error) {
      if (error instanceof TooManyFindings) throw error;
      // The agent may end the connection before the answer is read where a body is larger than it reads.
      const isCutOff = String(body ?? "").length > 1_000_000 && String(error).includes("ECONNRESET");
      if (isCutOff) this.ledger.count("cut off");
      else this.ledger.find(`no answer: ${String(error)}`);
      return null;
    }
  }

  #judge(judged: Judged): void {
    const { actor, id, given, answer, method, path } = judged;
    const { status, json, text } = answer;
    const operation = operationOf(id);
    this.ledger.count(status >= 400 ? `${status} ${json?.code}` : String(status));
    if (json?.code === "internal_error" || status === 500) this.ledger.find(`answered ${text}`);
    if (!(operation.response.stream && status === 200)) {
      try {
        checkAnswer(method, path, answer);
      } catch (error) {
        this.ledger.find(`against the contract: ${String(error).slice(0, 300)}`);
      }
    }
    if (status >= 400) {
      const leaked = this.world.secrets().find((secret) => text.includes(secret));
      if (leaked !== undefined) this.ledger.find(`the error repeats a secret: ${text.slice(0, 200)}`);
      return;
    }
    if (!isOperations(operation, method)) return;
    const forbidden = forbiddance(operation, actor, given.params?.id);
    if (forbidden !== null) this.ledger.find(`answered ${status} ${forbidden}`);
    this.#follow(judged);
  }

  #follow({ actor, id, given, answer: { json } }: Judged): void {
    this.succeeded.set(id, (this.succeeded.get(id) ?? 0) + 1);
    const caller = callerOf(actor);
    this.callers.set(caller, (this.callers.get(caller) ?? 0) + 1);
    if (operationOf(id).method !== "GET") this.hasChanged = true;
    if (id === "updateSettings") this.#judgeSettings(actor, json);
    follow(this.world, id, { actor, params: given.params ?? {}, body: given.body ?? {}, json });
  }

  #judgeSettings(actor: Actor, after: Answer["json"]): void {
    const isAdmin =
      actor.kind === "root" || (actor.kind === "credential" && actor.credential.person.role === "admin");
    const isToken = actor.kind === "credential" && actor.credential.kind === "token";
    if (this.#settings !== null && (!isAdmin || isToken)) {
      const changed = changedMembers(settingsSchema, this.#settings, after);
      const foreign = changed.filter(({ writer }) => writer !== "operator");
      for (const { pointer } of foreign) this.ledger.find(`${pointer} was changed by ${nameOf(actor)}`);
    }
    this.#settings = after;
  }
}

interface Judged {
  readonly actor: Actor;
  readonly id: OperationId;
  readonly given: Given;
  readonly answer: Answer;
  readonly method: string;
  readonly path: string;
}

/** HEAD asks for no more than GET, and gives nothing that could be followed. */
function isOperations(operation: Operation, method: string): boolean {
  return operation.method === method;
}

function requestOf(operation: Operation, actor: Actor, given: Given): Request {
  const { params = {}, query = {}, body, raw, headers = {}, from } = given;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? "x"));
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : (JSON.stringify(value) ?? ""),
  ]);
  const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const bearer = bearerOf(actor);
  return {
    method: given.method ?? operation.method,
    path: `${path}${search}`,
    ...(content !== undefined && { body: content }),
    ...(from !== undefined && { from }),
    isLocal: actor.kind === "root",
    headers: {
      ...(content !== undefined && { "content-type": "application/json" }),
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
  };
}

function bearerOf(actor: Actor): string | null {
  if (actor.kind === "credential") return actor.credential.bearer;
  return actor.kind === "stranger" ? actor.bearer : null;
}

function callerOf(actor: Actor): string {
  if (actor.kind !== "credential") return actor.kind;
  return actor.credential.kind === "token" ? "API token" : actor.credential.person.role;
}

function nameOf(actor: Actor): string {
  return actor.kind === "credential" ? `${callerOf(actor)} ${actor.credential.id}` : actor.kind;
}
