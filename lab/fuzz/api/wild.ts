import fc, { type Arbitrary } from "fast-check";
import { documentNames } from "../../../src/contract/document-names.ts";
import type { Operation } from "../../../src/contract/operations/operation.ts";
import { operationIds, operationOf } from "../../../src/contract/operations.ts";
import type { Chance } from "../../basics/chance.ts";
import { bytes, json, mostly, spoiltBytes, spoiltJson, texts, weighed } from "../arbitraries.ts";
import { draw, drawn, oneOf, percent } from "../draw.ts";
import { fitting, madeOnce, type Schema } from "../fitting.ts";
import type { Bench, Given } from "./bench.ts";
import { forbiddance } from "./permitted.ts";
import type { Actor, Credential, World } from "./world.ts";

/** Any request by anyone: right, nearly right, or hostile. */
export async function actWildly(bench: Bench, chance: Chance): Promise<void> {
  const id = oneOf(chance, operationIds);
  const operation = operationOf(id);
  const actor = anyActor(bench.world, chance);
  // It would end the run: those who may do it do not.
  if (id === "factoryReset" && forbiddance(operation, actor, undefined) === null) return;
  const params = paramsFor(operation, { world: bench.world, actor, chance });
  const { content, headers, query, from, isHead } = drawn(chance, formsOf(operation));
  const method = isHead && operation.method === "GET" ? { method: "HEAD" } : {};
  const sent = { ...content, params, query, headers: { ...content.headers, ...headers }, from, ...method };
  await bench.act(actor, id, sent);
}

/** An address of a network of many, so that no row of failures fills the window of one address (docs/design/throttling.md). */
export const addresses = fc
  .tuple(fc.nat(3), fc.nat(255), fc.integer({ min: 1, max: 250 }))
  .map((parts) => `10.${parts.join(".")}`);

const words = "otter umbrella granite violin harvest lantern pepper walrus cobalt".split(" ");

/** Long and of many words, so that the rules for passwords take it for every name. */
export const freshPasswords = fc
  .array(fc.tuple(fc.constantFrom(...words), fc.nat(99)), { minLength: 5, maxLength: 5 })
  .map((pairs) => pairs.map((pair) => pair.join("")).join(" "));

function anyActor(world: World, chance: Chance): Actor {
  const kind = draw(chance, 100);
  if (kind < 8) return { kind: "anonymous" };
  if (kind < 12) return { kind: "stranger", bearer: strangersBearer(world, chance) };
  if (kind < 20 && world.dead.length > 0)
    return { kind: "credential", credential: oneOf(chance, world.dead) };
  const live = world.credentials.filter(({ state }) => state === "live");
  if (kind < 35 || live.length === 0) return { kind: "root" };
  // Those of each role and kind as often as those of another, however many there are of each.
  const kindOf = (one: Credential) => (one.kind === "token" ? "token" : one.person.role);
  const chosen = oneOf(chance, [...new Set(live.map(kindOf))]);
  const able = live.filter((one) => kindOf(one) === chosen);
  return { kind: "credential", credential: oneOf(chance, able) };
}

/** A token of another, with something changed; or anything that a header can hold. */
function strangersBearer({ credentials }: World, chance: Chance): string {
  const known = credentials.map(({ bearer }) => bearer);
  const spoilt = () => spoiltBytes(Buffer.from(oneOf(chance, known))).map((sent) => sent.toString("latin1"));
  const text = drawn(chance, known.length > 0 && percent(chance, 70) ? spoilt() : texts);
  const bearer = text.replace(/[^\x21-\x7e]/g, "").slice(0, 2_000);
  return known.includes(bearer) || bearer === "" ? "x.y.z" : bearer;
}

function paramsFor(
  { pathParameters = {} }: Operation,
  { world, actor, chance }: { world: World; actor: Actor; chance: Chance },
): Record<string, string> {
  const own = actor.kind === "credential" ? [actor.credential.person.id] : [];
  const made = [...world.credentials, ...world.dead].map(({ id }) => id);
  const known = [...world.people.keys(), ...own, ...own, ...made, ...documentNames];
  const forms: Record<string, string> = { id: "usr_", sid: "ses_", name: "" };
  return Object.fromEntries(
    Object.entries(pathParameters).map(([name, schema]) => {
      const prefix = JSON.stringify(schema).includes("tok_") ? "tok_" : (forms[name] ?? "");
      const familiar = known.filter((id) => id.startsWith(prefix));
      const isFamiliar = familiar.length > 0 && percent(chance, 85);
      return [name, isFamiliar ? oneOf(chance, familiar) : drawn(chance, pathTexts(schema))];
    }),
  );
}

/** Texts that encodeURIComponent takes; `.` and `..` would be another path. */
function pathTexts(schema: Schema): Arbitrary<string> {
  return fc
    .oneof(fitting(schema).map(String), texts)
    .map((text) => (/^\.{0,2}$/.test(text) ? "x" : Buffer.from(text.slice(0, 300)).toString()));
}

/** The parts of a request that belong to no sender. */
const formsOf = madeOnce((operation: Operation) => {
  const [content, query] = [contentsOf(operation), queriesOf(operation)];
  return fc.record({ content, query, headers, from: addresses, isHead: mostly(3) });
});

function queriesOf({ query }: Operation): Arbitrary<Record<string, unknown>> {
  const strange = fc.tuple(texts, texts).map(([name, value]) => ({ [name]: value }));
  const none = mostly(3).chain((isThere) => (isThere ? strange : fc.constant({})));
  if (!query) return none;
  const right = fitting(query);
  const spoilt = right.chain(spoiltJson);
  return weighed([3, none], [5, right], [2, spoilt]).map((value) => ({ ...(value as object) }));
}

const types = fc.constantFrom(
  ...["text/plain", "application/json; charset=utf-16", "application/xml", "", "application/jsonx"],
  ...["multipart/form-data; boundary=x", "application/json;charset=utf-8"],
);

const asBody = (values: Arbitrary<unknown>): Arbitrary<Given> => values.map((body) => ({ body }));
const asRaw = (texts: Arbitrary<string | Buffer>): Arbitrary<Given> => texts.map((raw) => ({ raw }));

function contentsOf({ body, path }: Operation): Arbitrary<Given> {
  const few = mostly(5).chain((isThere) => (isThere ? asBody(json) : fc.constant({})));
  if (!body) return few;
  const right = fc.tuple(fitting(body), fc.boolean(), freshPasswords).map(withGoodPassword);
  const text = right.map((value) => JSON.stringify(value) ?? "");
  const long = fc.integer({ min: 1, max: 60_000 });
  // Rarely, as each is 2 MB.
  const huge = path === "/api/system" ? JSON.stringify({ device: { name: "x".repeat(2_000_000) } }) : "";
  return weighed<Given>(
    [60, asBody(right)],
    [25, asBody(right.chain(spoiltJson))],
    [5, asBody(json)],
    [2, fc.tuple(text, types).map(([raw, type]) => ({ raw, headers: { "content-type": type } }))],
    [4, asRaw(text.chain((whole) => spoiltBytes(Buffer.from(whole))))],
    [1, asRaw(long.map((depth) => "[".repeat(depth)))],
    [1, asRaw(long.map((digits) => `{"a":${"1".repeat(digits)}}`))],
    [1, asRaw(bytes(0, 300))],
    [1, asRaw(fc.constant(huge))],
  );
}

/** A password that no rule refuses, half of the time. */
function withGoodPassword([value, isGood, password]: [unknown, boolean, string]): unknown {
  const body = value as Record<string, unknown>;
  return isGood && typeof body?.password === "string" ? { ...body, password } : body;
}

const names =
  "if-match if-none-match accept cookie x-request-id last-event-id origin range x-refresh-binding forwarded host " +
  "x-forwarded-proto accept-language accept-encoding referer x-http-method-override sec-fetch-site user-agent content-encoding";
const values = fc.oneof(
  fc.constantFrom("*", '"x"', 'W/"x"', "*/*", "application/json", "gzip", "cross-site", "null"),
  texts.map((text) => text.replace(/[^\x20-\x7e]/g, "").slice(0, 4_000)),
);
const headers = fc
  .tuple(mostly(25), fc.constantFrom(...names.split(" ")), values)
  .map(([isThere, name, value]): Record<string, string> => (isThere ? { [name]: value } : {}));
