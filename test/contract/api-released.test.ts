import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type ApiDocument, breakages } from "../../scripts/api/document-changes.ts";
import { presentDocument, releasedPath } from "../../scripts/api/released.ts";

const present = presentDocument();

// biome-ignore lint/suspicious/noExplicitAny: a document is changed anywhere
type Changeable = any;

/** Sets the member at this path, whose names are separated by blanks. */
const put =
  (path: string, value: unknown) =>
  (document: Changeable): void => {
    const names = path.split(" ");
    const last = names.pop() ?? "";
    names.reduce((part, name) => part[name], document)[last] = value;
  };

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

  it("compared with itself breaks nothing", () => {
    assert.deepEqual(breakages(present, structuredClone(present)), []);
  });

  const additions: Record<string, (document: Changeable) => void> = {
    "an operation": put("paths /api/new", { get: { operationId: "getNew", responses: {} } }),
    "a member of an answer": (d) => {
      d.components.schemas.User.properties.nickname = { type: "string" };
      d.components.schemas.User.required.push("nickname");
    },
    "an optional member of a request": put("components schemas NewUser properties nickname", {
      type: "string",
    }),
    "an optional parameter": (d) => {
      d.paths["/api/users"].get.parameters.push({ name: "age", in: "query", schema: { type: "integer" } });
    },
    "an error code": (d) => d.components.schemas.ErrorCode.enum.push("new_code"),
    "a value that is taken": (d) =>
      d.components.schemas.UpdateApplyRequest.properties.kind.enum.push("image"),
    "a longer text that is taken": put("components schemas SignInRequest properties username maxLength", 512),
    "a character more in a text that is taken": (d) => {
      const { schema } = d.components.parameters.OfUnit;
      schema.pattern = schema.pattern.replace("[", "[~");
    },
    "a body that may be absent": put("paths /api/auth/refresh post requestBody required", false),
    "a scope with which it may be called": (d) => {
      d.paths["/api/tokens"].get.security.push({ apiToken: ["users:read"] });
    },
    "an error with a status of its own": put("paths /api/users get responses 404", {
      $ref: "#/components/responses/Problem",
    }),
    "an error that only `default` covers": (d) => delete d.paths["/api/users"].post.responses["409"],
    "a form of a setting's value beside the former one": (d) => {
      const { channel } = d.components.schemas.UpdateSettings.properties.ota.properties;
      channel.oneOf = [{ type: channel.type, pattern: channel.pattern }, { type: "object" }];
      delete channel.type;
      delete channel.pattern;
    },
    "other words": (d) => {
      d.components.schemas.Release.properties.notes.description = "other";
      d.paths["/api/users"].get.summary = "other";
    },
  };
  for (const [what, change] of Object.entries(additions)) {
    it(`may be given ${what}`, () => assert.deepEqual(broken(change), []));
  }

  const violations: Record<string, [(document: Changeable) => void, RegExp]> = {
    "an operation removed": [
      (d) => delete d.paths["/api/users"].get,
      /GET \/api\/users: the operation is gone/,
    ],
    "an operation renamed": [put("paths /api/users get operationId", "getUsers"), /operationId has changed/],
    "a shape renamed": [
      (d) => {
        d.components.schemas.Person = d.components.schemas.UserLock;
        delete d.components.schemas.UserLock;
        d.components.schemas.User.properties.locked.oneOf[0].$ref = "#/components/schemas/Person";
      },
      /the shape UserLock is gone/,
    ],
    "a member of an answer removed": [
      (d) => delete d.components.schemas.User.properties.role,
      /role: the member is gone/,
    ],
    "a member of an answer that may be absent": [
      (d) => d.components.schemas.User.required.shift(),
      /id may be absent now/,
    ],
    "a member of an answer that may be null": [
      put("components schemas Version properties version type", ["string", "null"]),
      /version: the type null is new/,
    ],
    "a member of an answer of another type": [
      put("components schemas SignedIn properties expires_in type", "string"),
      /expires_in: the type string is new/,
    ],
    "a setting with another form by default": [
      (d) => {
        const { min_agreeing } = d.components.schemas.TimeSettings.properties;
        Object.assign(min_agreeing, { type: ["integer", "null", "string"], default: "most" });
      },
      /min_agreeing: the type string is new/,
    ],
    "a setting that no longer has a form": [
      put("components schemas TimeSettings properties min_agreeing type", "integer"),
      /min_agreeing: the type null is no longer taken/,
    ],
    "another alternative in an answer": [
      (d) => d.components.schemas.EventMessage.oneOf.push({ type: "string" }),
      /alternative "string" is new/,
    ],
    "an answer whose codes are no longer listed": [
      (d) => delete d.components.schemas.Need.properties.code.enum,
      /no longer listed/,
    ],
    "a character less in a text that is taken": [
      (d) => {
        const { schema } = d.components.parameters.OfUnit;
        schema.pattern = schema.pattern.replace("A-Z", "B-Z!");
      },
      /query unit: pattern has changed/,
    ],
    "a member of a request removed": [
      (d) => delete d.components.schemas.NewUser.properties.enabled,
      /enabled: the member is gone/,
    ],
    "a member of a request that is required": [
      (d) => d.components.schemas.NewUser.required.push("display_name"),
      /display_name is required now/,
    ],
    "a value that is no longer taken": [
      (d) => d.components.schemas.UpdateApplyRequest.properties.kind.enum.pop(),
      /"all" is no longer taken/,
    ],
    "a shorter text that is taken": [
      put("components schemas SignInRequest properties username maxLength", 64),
      /maxLength was 256 and is 64/,
    ],
    "another pattern": [put("components schemas Username pattern", "^[a-z]+$"), /pattern has changed/],
    "a rule for members of a request": [
      (d) => {
        d.components.schemas.TwoFactorRecoverRequest.oneOf.pop();
      },
      /oneOf has changed/,
    ],
    "a parameter removed": [(d) => d.paths["/api/users"].get.parameters.shift(), /the parameter is gone/],
    "a parameter that is required": [
      put("components parameters Cursor required", true),
      /query cursor: it is required now/,
    ],
    "a body that is required": [
      put("paths /api/updates/check post requestBody required", true),
      /a body is required now/,
    ],
    "another success": [
      (d) => {
        const { responses } = d.paths["/api/updates/check"].post;
        responses["200"] = responses["202"];
        delete responses["202"];
      },
      /the success 202 is 200 now/,
    ],
    "errors that are not declared": [
      (d) => delete d.paths["/api/users"].get.responses.default,
      /the error default is no longer declared/,
    ],
    "no entity tag": [
      (d) => delete d.paths["/api/system"].get.responses["200"].headers.ETag,
      /header ETag is gone/,
    ],
    "a role fewer": [
      (d) => {
        d.paths["/api/events"].get.security.splice(1, 1);
      },
      /"operator"\] ?\} is no longer enough/,
    ],
    "a scope fewer": [(d) => d.paths["/api/status"].get.security.pop(), /system:read/],
    "another scope": [
      put("paths /api/status get security 1 apiToken", ["status:read"]),
      /system:read.* is no longer enough/,
    ],
    "a token where none was needed": [
      (d) => {
        d.paths["/api/health"].get.security.shift();
      },
      /\{\} is no longer enough/,
    ],
    "a step-up": [put("paths /api/updates/check post x-step-up", true), /needs a step-up now/],
  };
  for (const [what, [change, words]] of Object.entries(violations)) {
    it(`may not be given ${what}`, () => assert.match(broken(change).join("\n"), words));
  }
});
