import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostFile } from "../../../src/contract/host-file/host-file.ts";
import { settings } from "../../../src/contract/schemas/settings.ts";
import {
  secretsOf,
  shownSecrets,
  withoutSecrets,
  withSecretsOf,
} from "../../../src/store/validation/secrets.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly "x-secret"?: string;
}

/** The members that take a text of their writer's, by their places; `*` is each of a list. */
function textsOf(schema: Schema, place: string): (readonly [place: string, mark: string | undefined])[] {
  const { type, properties = {}, items, oneOf = [] } = schema;
  const isText = [type].flat().includes("string") && schema.enum === undefined;
  return [
    ...(isText ? [[place, schema["x-secret"]] as const] : []),
    ...Object.entries(properties).flatMap(([name, member]) => textsOf(member, `${place}/${name}`)),
    ...(items ? textsOf(items, `${place}/*`) : []),
    ...oneOf.flatMap((one) => textsOf(one, place)),
  ];
}

const lengthsAndTimes = "a length or time of day";
const forPeople = "a text for people";
const server = "a server and no path; a password before it is refused";
const ofRoot = "a path on the device, whose file stays there";
const program = "an argument, which everyone on the device can see";
const open = "others have to know it";

/** Each text of settings and host file: the part of it that is secret, or why nothing is. */
const decisions: Readonly<Record<string, string>> = {
  "settings/device/name": forPeople,
  "settings/device/location": forPeople,
  "settings/device/contact": forPeople,
  "settings/time/servers/*": server,
  "settings/time/servers/*/host": server,
  "settings/time/panic_threshold": lengthsAndTimes,
  "settings/time/max_root_distance": lengthsAndTimes,
  "settings/update/ota/server": "address",
  "settings/update/ota/channel": open,
  "settings/update/ota/check_interval": lengthsAndTimes,
  "settings/update/windows/*/from": lengthsAndTimes,
  "settings/update/windows/*/to": lengthsAndTimes,
  "settings/security/session_idle": lengthsAndTimes,
  "settings/security/session_absolute": lengthsAndTimes,
  "settings/console/language": forPeople,
  "settings/console/banner": forPeople,
  "settings/notify/receivers/*/name": forPeople,
  "settings/notify/receivers/*/url": "address",
  "settings/notify/receivers/*/server": server,
  "settings/notify/receivers/*/username": "whole",
  "settings/notify/receivers/*/from": open,
  "settings/notify/receivers/*/to/*": open,
  "host file/$schema": "a name for editors",
  "host file/names/*": open,
  "host file/trusted_proxies/*": server,
  "host file/https/address": server,
  "host file/log_units/*": open,
  "host file/product": open,
  "host file/maker/name": forPeople,
  "host file/maker/mark": ofRoot,
  "host file/maker/picture": ofRoot,
  "host file/maker/support": "shown on the sign-in page",
  "host file/oidc/issuer": "browsers are sent there",
  "host file/oidc/client_id": "browsers bring it along",
  "host file/oidc/client_secret_file": ofRoot,
  "host file/oidc/origins/*": server,
  "host file/oidc/roles/admin/*": open,
  "host file/oidc/roles/operator/*": open,
  "host file/oidc/roles/readonly/*": open,
  "host file/oidc/group_claim": open,
  "host file/oidc/name_claim": open,
  "host file/oidc/scopes/*": open,
  "host file/oidc/name": forPeople,
  "host file/oidc/endpoint_origins/*": server,
  "host file/support_until": lengthsAndTimes,
  "host file/telemetry/otlp/url": "address",
  "host file/telemetry/otlp/headers_file": ofRoot,
  "host file/telemetry/otlp/interval": lengthsAndTimes,
  "host file/telemetry/syslog/server": server,
  "host file/time/ca_file": ofRoot,
  "host file/update/redirect_origins/*": server,
  "host file/update/channels/*": open,
  ...Object.fromEntries(
    ["network", "update", "oidc", "notify", "telemetry/otlp", "telemetry/syslog"].flatMap((part) => [
      [`host file/${part}/ca_file`, ofRoot],
      [`host file/${part}/client_certificate_file`, ofRoot],
      [`host file/${part}/proxy`, server],
    ]),
  ),
  ...Object.fromEntries(
    ["rules", "binary"].flatMap((kind) => [
      [`host file/update/${kind}/unit`, open],
      [`host file/update/${kind}/activate/*`, program],
      [`host file/update/${kind}/self_test/*`, program],
      [`host file/update/${kind}/health/http/*/url`, "of this device itself, which no one else reaches"],
      [`host file/update/${kind}/health/http/*/version_member`, open],
      [`host file/update/${kind}/health/command/*`, program],
      [`host file/update/${kind}/health/interval`, lengthsAndTimes],
      [`host file/update/${kind}/health/within`, lengthsAndTimes],
    ]),
  ),
};

describe("the table of secrets", () => {
  const texts = [...textsOf(settings, "settings"), ...textsOf(hostFile, "host file")];

  it("has a decision on each text of settings and host file, and on no other", () => {
    assert.deepEqual([...new Set(texts.map(([place]) => place))].sort(), Object.keys(decisions).sort());
  });

  for (const [place, mark] of texts)
    it(`is what the schema says of ${place}`, () => {
      const decision = decisions[place] ?? "";
      assert.equal(mark, ["address", "whole"].includes(decision) ? decision : undefined);
    });
});

const schema = {
  properties: {
    list: { items: { properties: { url: { "x-secret": "address" }, name: {} } } },
    login: { "x-secret": "whole" },
  },
};

describe("what is shown in place of a secret", () => {
  const shown: readonly (readonly [what: string, url: string, form: string | RegExp])[] = [
    ["a path", "https://hooks.example/T0/B0/XYZ", /^https:\/\/hooks\.example\/…[0-9a-f]{4}$/],
    ["a query", "http://hooks.example:8080?key=1", /^http:\/\/hooks\.example:8080\/…[0-9a-f]{4}$/],
    ["no path", "https://hooks.example", "https://hooks.example"],
    ["an empty path", "https://hooks.example/", "https://hooks.example/"],
    ["a directory of the device", "file:///media/usb", "file:///media/usb"],
    ["what is no address", "T0/B0/XYZ", /^…[0-9a-f]{4}$/],
    ["what is shown so already", "https://hooks.example/…12ab", "https://hooks.example/…12ab"],
    ["nothing", "", ""],
  ];
  for (const [what, url, form] of shown)
    it(`is of an address with ${what}: ${form}`, () => {
      const value = { list: [{ name: "one", url }], login: "user" };
      const { list, login } = withoutSecrets(schema, value);
      if (typeof form === "string") assert.equal(list[0]?.url, form);
      else assert.match(list[0]?.url ?? "", form);
      assert.equal(list[0]?.name, "one");
      assert.match(login, /^…[0-9a-f]{4}$/);
      assert.deepEqual(secretsOf(schema, value), [...(form === url ? [] : [url]), "user"]);
    });

  it("changes with the secret", () => {
    const [one, other] = ["key", "kez"].map((login) => withoutSecrets(schema, { login }).login);
    assert.notEqual(one, other);
  });
});

describe("a shown form that is handed back", () => {
  const present = { list: [{ name: "one", url: "https://h.example/A1" }], login: "user" };

  it("stands for the present secret, also in another place of a list", () => {
    const back = withoutSecrets(schema, present);
    assert.deepEqual(withSecretsOf(schema, present, back), present);
    const [moved] = back.list;
    const list = [{ name: "new", url: "https://n.example/N" }, { ...moved }];
    const next = withSecretsOf(schema, present, { list });
    assert.deepEqual(next.list[1], present.list[0]);
    assert.deepEqual(shownSecrets(schema, next), []);
  });

  it("is a fault where the device has no such secret, and where two look alike", () => {
    const foreign = { list: [{ url: "https://h.example/…ffff" }] };
    const next = withSecretsOf(schema, present, foreign);
    assert.deepEqual(next, foreign);
    assert.deepEqual(
      shownSecrets(schema, next).map(({ pointer, code }) => [pointer, code]),
      [["/list/0/url", "secret_missing"]],
    );
    // Found by trying numbers: both end with the same digits.
    const alike = { list: likeEachOther().map((url) => ({ url })) };
    const back = withoutSecrets(schema, alike);
    assert.equal(back.list[0]?.url, back.list[1]?.url);
    assert.equal(shownSecrets(schema, withSecretsOf(schema, alike, back)).length, 2);
  });
});

function likeEachOther(): string[] {
  const seen = new Map<string, string>();
  for (let number = 0; ; number += 1) {
    const url = `https://h.example/${number}`;
    const form = withoutSecrets(schema, { list: [{ url }] }).list[0]?.url ?? "";
    const former = seen.get(form);
    if (former !== undefined) return [former, url];
    seen.set(form, url);
  }
}
