import { documentNames } from "../../../src/contract/document-names.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { type OperationId, operationIds, operationOf } from "../../../src/contract/operations.ts";
import type { Chance } from "../../basics/chance.ts";
import { anyJson, anyText, draw, oneOf, percent, randomBytes, spoiltBytes, spoiltJson } from "../draw.ts";
import { fromSchema } from "../from-schema.ts";
import type { Bench, Given } from "./bench.ts";
import { forbiddance } from "./permitted.ts";
import type { Actor, Credential, World } from "./world.ts";

/** Any request by anyone: right, nearly right, or hostile. */
export async function actWildly(bench: Bench, chance: Chance): Promise<void> {
  const id = oneOf(chance, operationIds);
  const operation = operationOf(id);
  const actor = anyActor(bench.world, chance);
  const params = paramsFor(operation, { world: bench.world, actor, chance });
  // It would end the run: those who may do it do not.
  if (id === "factoryReset" && forbiddance(operation, actor, undefined) === null) return;
  const query = queryFor(operation, chance);
  const content = contentFor(operation, chance, id);
  const headers = { ...content.headers, ...headersFor(chance) };
  const method = percent(chance, 3) && operation.method === "GET" ? { method: "HEAD" } : {};
  await bench.act(actor, id, { ...content, params, query, headers, from: anyAddress(chance), ...method });
}

/** An address of a network of many, so that no row of failures fills the window of one address (docs/design/throttling.md). */
export function anyAddress(chance: Chance): string {
  return `10.${draw(chance, 4)}.${draw(chance, 256)}.${1 + draw(chance, 250)}`;
}

function anyActor(world: World, chance: Chance): Actor {
  const kind = draw(chance, 100);
  if (kind < 8) return { kind: "anonymous" };
  if (kind < 12) return { kind: "stranger", bearer: strangersBearer(world, chance) };
  if (kind < 20 && world.dead.length > 0)
    return { kind: "credential", credential: oneOf(chance, world.dead) };
  if (kind < 35) return { kind: "root" };
  const live = world.credentials.filter(({ state }) => state === "live");
  // Those of each role and kind as often as those of another, however many there are of each.
  if (live.length === 0) return { kind: "root" };
  const kindOf = (one: Credential) => (one.kind === "token" ? "token" : one.person.role);
  const chosen = oneOf(chance, [...new Set(live.map(kindOf))]);
  return {
    kind: "credential",
    credential: oneOf(
      chance,
      live.filter((one) => kindOf(one) === chosen),
    ),
  };
}

/** A token of another, with something changed; or anything that a header can hold. */
function strangersBearer(world: World, chance: Chance): string {
  const known = world.credentials.map(({ bearer }) => bearer);
  const text =
    known.length > 0 && percent(chance, 70)
      ? spoiltBytes(chance, Buffer.from(oneOf(chance, known))).toString("latin1")
      : anyText(chance);
  const bearer = text.replace(/[^\x21-\x7e]/g, "").slice(0, 2_000);
  return known.includes(bearer) || bearer === "" ? "x.y.z" : bearer;
}

function paramsFor(
  { pathParameters = {} }: Operation,
  { world, actor, chance }: { world: World; actor: Actor; chance: Chance },
): Record<string, string> {
  const names = Object.keys(pathParameters);
  const people = [...world.people.keys()];
  const own = actor.kind === "credential" ? [actor.credential.person.id] : [];
  const made = [...world.credentials, ...world.dead].map(({ id }) => id);
  const known = [...people, ...own, ...own, ...made, ...documentNames];
  const forms: Record<string, string> = { id: "usr_", sid: "ses_", name: "" };
  return Object.fromEntries(
    names.map((name) => {
      const isToken = JSON.stringify(pathParameters[name]).includes("tok_");
      const prefix = isToken ? "tok_" : (forms[name] ?? "");
      const fitting = known.filter((id) => id.startsWith(prefix));
      if (fitting.length > 0 && percent(chance, 85)) return [name, oneOf(chance, fitting)];
      return [name, pathText(chance, pathParameters[name] ?? {})];
    }),
  );
}

/** A text that encodeURIComponent takes; `.` and `..` would be another path. */
function pathText(chance: Chance, schema: object): string {
  const text = percent(chance, 50) ? String(fromSchema(schema, chance)) : anyText(chance);
  return /^\.{0,2}$/.test(text) ? "x" : Buffer.from(text.slice(0, 300)).toString();
}

function queryFor({ query }: Operation, chance: Chance): Record<string, unknown> {
  if (!query || percent(chance, 30)) return percent(chance, 3) ? { [anyText(chance)]: anyText(chance) } : {};
  const fitting = fromSchema(query, chance) as Record<string, unknown>;
  return percent(chance, 70) ? fitting : { ...(spoiltJson(chance, fitting) as object) };
}

function contentFor({ body }: Operation, chance: Chance, id: OperationId): Given {
  if (!body) return percent(chance, 5) ? { body: anyJson(chance) } : {};
  const fitting = withGoodPassword(fromSchema(body, chance), chance);
  const kind = draw(chance, 100);
  if (kind < 60) return { body: fitting };
  if (kind < 85) return { body: spoiltJson(chance, fitting) };
  if (kind < 90) return { body: anyJson(chance, 4) };
  if (kind < 94) return { raw: spoiltBytes(chance, Buffer.from(JSON.stringify(fitting))) };
  if (kind < 96) return { raw: JSON.stringify(fitting), headers: { "content-type": anyType(chance) } };
  if (kind < 97) return { raw: "[".repeat(1 + draw(chance, 60_000)) };
  if (kind < 98) return { raw: `{"a":${"1".repeat(1 + draw(chance, 60_000))}}` };
  if (kind < 99) return { raw: randomBytes(chance, draw(chance, 300)) };
  // Rarely, as each is 2 MB.
  if (id !== "updateSettings") return {};
  return { raw: JSON.stringify({ device: { name: "x".repeat(2_000_000) } }) };
}

/** A password that no rule refuses, half of the time. */
function withGoodPassword(value: unknown, chance: Chance): unknown {
  const body = value as Record<string, unknown>;
  if (typeof body?.password === "string" && percent(chance, 50)) body.password = freshPassword(chance);
  return body;
}

/** Long and of many words, so that the rules for passwords take it for every name. */
export function freshPassword(chance: Chance): string {
  const words = [
    "otter",
    "umbrella",
    "granite",
    "violin",
    "harvest",
    "lantern",
    "pepper",
    "walrus",
    "cobalt",
  ];
  return Array.from({ length: 5 }, () => `${oneOf(chance, words)}${draw(chance, 100)}`).join(" ");
}

function anyType(chance: Chance): string {
  const types = [
    "text/plain",
    "application/json; charset=utf-16",
    "application/xml",
    "",
    "application/jsonx",
  ];
  return oneOf(chance, [...types, "multipart/form-data; boundary=x", "application/json;charset=utf-8"]);
}

function headersFor(chance: Chance): Record<string, string> {
  if (percent(chance, 75)) return {};
  const value = anyText(chance)
    .replace(/[^\x20-\x7e]/g, "")
    .slice(0, 4_000);
  const header = oneOf(chance, [
    ...["If-Match", "If-None-Match", "Accept", "Cookie", "X-Request-Id", "Last-Event-ID", "Origin", "Range"],
    ...[
      "X-Refresh-Binding",
      "X-Forwarded-Proto",
      "Forwarded",
      "Accept-Language",
      "Accept-Encoding",
      "Referer",
    ],
    ...["X-HTTP-Method-Override", "Sec-Fetch-Site", "User-Agent", "Content-Encoding", "Host"],
  ]);
  const usual = ["*", '"x"', 'W/"x"', "*/*", "application/json", "gzip", "cross-site", "null", value];
  return { [header.toLowerCase()]: oneOf(chance, usual) };
}
