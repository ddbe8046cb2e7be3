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

/** The texts of which a part is secret, or all. */
const secret: Readonly<Record<string, string>> = {
  "settings/update/ota/server": "address",
  "settings/notify/receivers/*/url": "address",
  "settings/notify/receivers/*/username": "whole",
  "host file/telemetry/otlp/url": "address",
};

/** The others: for people, known to others anyway, files that stay on the device, servers, lengths and times. */
const open = `
  settings/device/name settings/device/location settings/device/contact settings/console/language
  settings/console/banner settings/time/servers/* settings/time/servers/*/host settings/time/panic_threshold
  settings/time/max_root_distance settings/update/ota/channel settings/update/ota/check_interval
  settings/update/windows/*/from settings/update/windows/*/to settings/security/session_idle
  settings/security/session_absolute settings/notify/receivers/*/name settings/notify/receivers/*/server
  settings/notify/receivers/*/from settings/notify/receivers/*/to/*
  /$schema /names/* /trusted_proxies/* /https/address /log_units/* /product/name /product/sign_in /product/version_file
  /product/pages/*/name /product/pages/*/title/en /product/pages/*/title/de /product/pages/*/url
  /product/pages/*/secret_file /product/units/* /product/reports/*/code /product/reports/*/text/en
  /product/reports/*/text/de /product/reports/*/page /product/reports/*/path /product/reports/*/ttl /maker/name /maker/mark /maker/picture
  /maker/support /oidc/issuer /oidc/client_id /oidc/client_secret_file /oidc/origins/* /oidc/roles/admin/*
  /oidc/roles/operator/* /oidc/roles/readonly/* /oidc/group_claim /oidc/name_claim /oidc/scopes/* /oidc/name
  /oidc/endpoint_origins/* /support_until /telemetry/otlp/headers_file /telemetry/otlp/interval
  /telemetry/syslog/server /time/ca_file /update/redirect_origins/* /update/channels/*`
  .trim()
  .split(/\s+/)
  .map((place) => place.replace(/^\//, "host file/"));
for (const part of ["network", "update", "oidc", "notify", "telemetry/otlp", "telemetry/syslog"])
  for (const member of ["ca_file", "client_certificate_file", "proxy"])
    open.push(`host file/${part}/${member}`);
// Everyone on the device can see the arguments of a program, and no one else reaches its health.
const ofHealth = ["http/*/url", "http/*/version_member", "command/*", "interval", "within"];
for (const kind of ["rules", "binary"])
  for (const member of ["unit", "activate/*", "self_test/*", ...ofHealth.map((one) => `health/${one}`)])
    open.push(`host file/update/${kind}/${member}`);

it("the table of secrets has a decision on each text of settings and host file, on no other, and the schema has it", () => {
  const texts = [...textsOf(settings, "settings"), ...textsOf(hostFile, "host file")];
  const places = [...new Set(texts.map(([place]) => place))];
  assert.deepEqual(places.sort(), [...Object.keys(secret), ...open].sort());
  for (const [place, mark] of texts) assert.equal(mark, secret[place], place);
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
    const found = shownSecrets(schema, next).map(({ pointer, code }) => [pointer, code]);
    assert.deepEqual(found, [["/list/0/url", "secret_missing"]]);
    // Found by trying numbers: both end with the same digits.
    const alike = { list: likeEachOther().map((url) => ({ url })) };
    const back = withoutSecrets(schema, alike);
    assert.equal(back.list[0]?.url, back.list[1]?.url);
    assert.equal(shownSecrets(schema, withSecretsOf(schema, alike, back)).length, 2);
  });
});

/** Two addresses whose shown forms end with the same digits, by trying numbers. */
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
