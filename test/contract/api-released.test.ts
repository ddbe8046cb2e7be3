import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type ApiDocument, breakages } from "../../scripts/api/document-changes.ts";
import { presentDocument, releasedPath } from "../../scripts/api/released.ts";

const present = presentDocument();

// biome-ignore lint/suspicious/noExplicitAny: a document is changed anywhere
type Changeable = any;

/** A change of the part at this path, whose names are separated by blanks; S: the schemas. */
const at =
  (path: string, work: (part: Changeable, last: string) => void) =>
  (document: Changeable): void => {
    const names = path.replace(/^S /, "components schemas ").split(" ");
    const last = names.pop() ?? "";
    work(
      names.reduce((part, name) => part[name], document),
      last,
    );
  };
const put = (path: string, value: unknown) =>
  at(path, (part, last) => Object.assign(part, { [last]: value }));
const cut = (path: string) => at(path, (part, last) => void delete part[last]);
const push = (path: string, value: unknown) => at(path, (part, last) => void part[last].push(value));
const shift = (path: string) => at(path, (part, last) => void part[last].shift());
const pop = (path: string) => at(path, (part, last) => void part[last].pop());

/** Lists what a change of the present document breaks for programs that go by the present one. */
function broken(change: (document: Changeable) => void): string[] {
  const changed = structuredClone(present) as Changeable;
  change(changed);
  assert.notDeepEqual(changed, present, "the change changes nothing");
  return breakages(present, changed);
}

describe("the API", () => {
  it("goes on serving programs that were written against its released form (docs/api.md)", () => {
    const released = JSON.parse(readFileSync(releasedPath, "utf8")) as ApiDocument;
    assert.deepEqual(breakages(released, present), [], "undo the change, or raise apiVersion");
  });

  const users = "paths /api/users get";
  const responses = "paths /api/updates/check post responses";
  const ofUnit = (from: string, to: string) =>
    at("components parameters OfUnit", (part, last) => {
      part[last].schema.pattern = part[last].schema.pattern.replace(from, to);
    });

  for (const [what, change] of [
    ["an operation", put("paths /api/new", { get: { operationId: "getNew", responses: {} } })],
    ["a member of an answer", put("S User properties nickname", { type: "string" })],
    ["an optional member of a request", put("S NewUser properties nickname", { type: "string" })],
    ["a parameter", push(`${users} parameters`, { name: "age", in: "query", schema: { type: "integer" } })],
    ["an error code", push("S ErrorCode enum", "new_code")],
    ["a value that is taken", push("S UpdateApplyRequest properties kind enum", "image")],
    ["a longer text that is taken", put("S SignInRequest properties username maxLength", 512)],
    ["a character more in a text that is taken", ofUnit("[", "[~")],
    ["a body that may be absent", put("paths /api/auth/refresh post requestBody required", false)],
    ["a scope for calls", push("paths /api/tokens get security", { apiToken: ["users:read"] })],
    ["another error", put(`${users} responses 404`, { $ref: "#/components/responses/Problem" })],
    ["an error that only `default` covers", cut("paths /api/users post responses 409")],
    [
      "a form of a setting's value beside the former one",
      at("S UpdateSettings properties ota properties channel", (part, last) => {
        const { type, pattern, ...rest } = part[last];
        part[last] = { ...rest, oneOf: [{ type, pattern }, { type: "object" }] };
      }),
    ],
    ["other words", put("S Release properties notes description", "other")],
  ] as const)
    it(`may be given ${what}`, () => assert.deepEqual(broken(change), []));

  for (const [what, change, words] of [
    ["an operation removed", cut(users), /GET \/api\/users: the operation is gone/],
    ["an operation renamed", put(`${users} operationId`, "getUsers"), /operationId has changed/],
    [
      "a shape renamed",
      (d: Changeable) => {
        d.components.schemas.Person = d.components.schemas.UserLock;
        delete d.components.schemas.UserLock;
        d.components.schemas.User.properties.locked.oneOf[0].$ref = "#/components/schemas/Person";
      },
      /the shape UserLock is gone/,
    ],
    ["a member of an answer removed", cut("S User properties role"), /role: the member is gone/],
    ["a member of an answer that may be absent", shift("S User required"), /id may be absent now/],
    ["a null", put("S Version properties version type", ["string", "null"]), /version: the type null/],
    ["another type", put("S SignedIn properties expires_in type", "string"), /expires_in: the type string/],
    [
      "a setting with another form by default",
      at("S TimeSettings properties min_agreeing", (part, last) =>
        Object.assign(part[last], { type: ["integer", "null", "string"], default: "most" }),
      ),
      /min_agreeing: the type string is new/,
    ],
    [
      "a setting that no longer has a form",
      put("S TimeSettings properties min_agreeing type", "integer"),
      /min_agreeing: the type null is no longer taken/,
    ],
    ["another alternative", push("S EventMessage oneOf", { type: "string" }), /alternative "string" is new/],
    ["codes that are no longer listed", cut("S Need properties code enum"), /no longer listed/],
    ["a character less that is taken", ofUnit("A-Z", "B-Z!"), /query unit: pattern has changed/],
    ["a member of a request removed", cut("S NewUser properties enabled"), /enabled: the member is gone/],
    ["a member that is required", push("S NewUser required", "display_name"), /display_name is required/],
    ["a value less", pop("S UpdateApplyRequest properties kind enum"), /"all" is no longer taken/],
    ["less text", put("S SignInRequest properties username maxLength", 64), /maxLength was 256 and is 64/],
    ["another pattern", put("S Username pattern", "^[a-z]+$"), /pattern has changed/],
    ["a rule for members of a request", pop("S TwoFactorRecoverRequest oneOf"), /oneOf has changed/],
    ["a parameter removed", shift(`${users} parameters`), /the parameter is gone/],
    ["a need", put("components parameters Cursor required", true), /query cursor: it is required now/],
    ["a body", put("paths /api/updates/check post requestBody required", true), /a body is required now/],
    [
      "another success",
      at(responses, (part, last) => {
        const { 202: success, ...rest } = part[last];
        part[last] = { ...rest, 200: success };
      }),
      /the success 202 is 200 now/,
    ],
    ["undeclared errors", cut(`${users} responses default`), /the error default is no longer declared/],
    ["no entity tag", cut("paths /api/system get responses 200 headers ETag"), /header ETag is gone/],
    [
      "a role fewer",
      at("paths /api/events get security", (part, last) => void part[last].splice(1, 1)),
      /"operator"\] ?\} is no longer enough/,
    ],
    ["a scope fewer", pop("paths /api/status get security"), /system:read/],
    [
      "another scope",
      put("paths /api/status get security 1 apiToken", ["status:read"]),
      /system:read.* is no longer enough/,
    ],
    ["a token where none was needed", shift("paths /api/health get security"), /\{\} is no longer enough/],
    ["a step-up", put("paths /api/updates/check post x-step-up", true), /needs a step-up now/],
  ] as const)
    it(`may not be given ${what}`, () => assert.match(broken(change).join("\n"), words));
});
