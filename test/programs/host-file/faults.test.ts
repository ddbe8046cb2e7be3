import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkHostFile } from "../../../src/programs/host-file/check.ts";

const aPage = {
  name: "pump",
  title: { en: "Pump" },
  url: "https://edge-7.example.net:444",
  role: "readonly",
};

const aReport = { code: "hot", level: "failing", text: { en: "It has {degrees} °C." } };

/** By its pointer, what else has to be in a part of the file beside the value that is wrong. */
const bases: Readonly<Record<string, object>> = {
  "": { product: "pump-7" },
  "/product": { sign_in: "https://pump.example.org", units: ["pump.service"] },
  "/product/pages/0": aPage,
  "/product/reports": [aReport],
  "/product/reports/1": { ...aReport, code: "cold" },
  "/product/reports/1/text": aReport.text,
  "/trusted_proxies": ["10.0.0.1"],
  "/maker": { name: "Pumpworks" },
  "/oidc": {
    ...{ issuer: "https://id.example.com", client_id: "edge-7", roles: { operator: ["plant-operators"] } },
    origins: ["https://edge-7.example.net:8443"],
  },
  "/telemetry/otlp": { url: "https://collector.example.net:4318" },
  "/telemetry/syslog": { server: "logs" },
  "/update/rules": { unit: "pump.service" },
  "/update/rules/self_test": ["/bin/true"],
  "/update/rules/health/http/0": { url: "http://127.0.0.1/" },
};

/** A host file with this value at this pointer; undefined: without any there. */
function planted(pointer: string, value: unknown, at = ""): unknown {
  if (at === pointer) return value;
  const [key = ""] = pointer.slice(at.length + 1).split("/");
  const inner = planted(pointer, value, `${at}/${key}`);
  const base = bases[at];
  return /^\d+$/.test(key) ? [...((base ?? []) as unknown[]), inner] : { ...base, [key]: inner };
}

const program = /^must be an absolute path, or/;
const origin = /^must be (text|an origin such as .*, named in full)/;
const range = /^must be (text|an address, or a range such as)/;
const health = "/update/rules/health";
const https = /^must be an https address/;
const server = /^must be the name or address/;
const within = /^must be (text|a duration of up to 60m)/;
const loopback = /^must be (text|an http: address on the loopback interface)/;

/** A place, the words about a wrong value in it, and such values. */
const rows: readonly (readonly [pointer: string, words: RegExp, ...values: unknown[]])[] = [
  ["", /^must be an object/, [], null, "x"],
  ["/names", /^must be a list/, "edge"],
  ["/names/0", /^must be (text|a host name)/, "edge:8470", "*.example.net", "a b", 7],
  ["/log_units", /^must be a list/, "nginx.service"],
  ["/log_units/0", /^must be (text|a systemd unit)/, "nginx", "*.service", "nginx.service\n", 7],
  ["/log_units/0", /^must be a systemd unit/, "--unit=a b.service"],
  ["/product", /^must be (text|a name|an object)/, 7],
  ["/product/name", /^must be (text|a name)/, "pump 7", "../pump", 7],
  [
    "/product/sign_in",
    /^must be an https origin/,
    "http://edge-7.example.net",
    "https://edge-7.example.net/a",
    "edge-7",
  ],
  [
    "/product/pages",
    /^must have at most 8/,
    Array.from({ length: 9 }, (_, n) => ({ ...aPage, name: `p${n}` })),
  ],
  ["/product/pages/0/name", /^must be up to 32/, "Pump", "7", "a/b", "a".repeat(33)],
  [
    "/product/pages/0/url",
    /^must be an https origin/,
    "http://10.0.0.7",
    "https://a.example/b",
    "https://u:p@a.example",
    "ftp://a.example",
  ],
  [
    "/product/pages/0/url",
    /^must be another origin than Steward's/,
    "https://pump.example.org",
    "http://127.0.0.1:8470",
  ],
  ["/product/pages/0/role", /^must be/, "root"],
  ["/product/pages/0/title/en", /^must/, "", 7],
  ["/product/pages/0/secret_file", /^must be an absolute path/, "gate"],
  ["/product/units", /^must have at most 8/, Array.from({ length: 9 }, (_, n) => `p${n}.service`)],
  ["/product/units/0", /^must be (text|a systemd unit)/, "pump", "pump.timer", "a/b.service", 7],
  ["/product", /^must name the units/, { reports: [aReport] }],
  ["/product/reports/1/code", /^must be up to 40/, "Hot", "7", "a-b", "a".repeat(41)],
  ["/product/reports/1/level", /^must be one of/, "grave"],
  [
    "/product/reports/1/text",
    /^must have braces only/,
    { en: "{" },
    { en: "a {Bar}" },
    { en: "{bar", de: "{bar" },
  ],
  ["/product/reports/1/text/en", /^must/, "", 7, "a\u202eb"],
  ["/product/reports/1/text/de", /^must have the same numbers/, "Es ist heiß.", "{grad} °C"],
  ["/product/reports/1/page", /^must be the name of one/, "pump"],
  ["/product/reports/1/path", /^must be a path such as/, "pressure", "//host", "/\\host", "/ä"],
  ["/product/reports/1/ttl", /^must be a duration from 1m/, "59s", "25h", "15"],
  ["/product/reports/1/code", /^must be another code/, "hot"],
  ["/update", /^must be an object/, []],
  ["/update/ca_file", /^must be an absolute/, "ca.pem"],
  ["/update/allow_local_servers", /^must be true or false/, "yes"],
  ["/update/redirect_origins", /^must be a list/, "https://a"],
  ["/update/redirect_origins/0", origin, "cdn.example.net", "https://cdn.example.net/path", "*", "null", 7],
  ["/update/redirect_origins/0", origin, "ftp://cdn.example.net", "https://*.example.net", "https://cdn.*"],
  ["/update/redirect_origins/0", origin, "https://a:b@c"],
  ["/update/proxy", /^must be (text|an address such as)/, "proxy:3128", "https://proxy:3128", "", 7],
  ["/update/proxy", /^must be an address such as/, "socks5://proxy", "http://proxy/x"],
  ...["/update", "/network", "/notify", "/oidc", "/telemetry/syslog"].map(
    (part) => [`${part}/proxy`, /^must be an/, "http://user:secret@proxy.example:3128"] as const,
  ),
  ["/update/channels", /^must be a list/, "stable"],
  ["/update/channels", /^must have at least one entry/, []],
  ["/update/channels/0", /^must be 1 to 32 of/, "Stable"],
  ["/trusted_proxies", /^must be a list/, "10.0.0.1"],
  ["/trusted_proxies/1", /^must be a smaller range/, "0.0.0.0/0", "::/0", "128.0.0.0/1"],
  ["/trusted_proxies/1", /^has bits .*: write 10\.0\.0\.0\/8 for the range, or 10\.0\.0\.5 /, "10.0.0.5/8"],
  ["/trusted_proxies/1", range, "", "proxy.example.net", "10.0.0.1:80", "10.0.0", "10.0.0.256", ["10.0.0.1"]],
  ["/trusted_proxies/1", range, "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8 ", 7, null],
  ["/trusted_proxies/1", range, "2001:db8::/129", "[2001:db8::1]", "fe80::1%eth0", "::ffff:0.0.0.0/96"],
  ["/maker/name", /^is missing/, undefined],
  ["/maker/name", /^must be a text/, "a\nb"],
  ["/maker/mark", /^must be an absolute path/, "/etc/mark.gif"],
  ["/maker/picture", /^must be an absolute path of an \.svg, \.png or \.jpg file/, "/etc/product.jpeg"],
  ...["javascript:alert(1)", "http://a.example", "help", "a b@c.example", "+49"].map(
    (support) => ["/maker/support", /^must be an https address, an e-mail address, or/, support] as const,
  ),
  ["/oidc/issuer", /^is missing/, undefined],
  ["/oidc/issuer", https, "http://id.example.com", "https://id.example.com/?x", "https://a:b@id.example.com"],
  ["/oidc/client_id", /^is missing/, undefined],
  ["/oidc/name", /^must be a text/, "a\nb"],
  ["/oidc/origins", /^must have at least one/, []],
  ["/oidc/origins/0", /^must be an https/, "http://edge-7", "https://edge-7/x"],
  ["/oidc/endpoint_origins/0", /^must be an https/, "http://127.0.0.1"],
  ["/oidc/scopes", /^must have openid among them/, ["profile"]],
  ["/oidc/roles", /^must say which groups/, {}, { root: ["x"] }],
  ["/oidc/roles/admin/0", /^must be text/, 7],
  ["/oidc/client_secret_file", /^must be an absolute/, "x"],
  ["/telemetry/otlp/url", /^is missing/, undefined],
  ["/telemetry/otlp/url", https, "http://collector.example.net", "http://localhost", "", "grpc://a.example"],
  ["/telemetry/otlp/url", https, "http://192.0.2.7:4318", "https://user:word@a.example", "https://a/b?x=1"],
  ["/telemetry/otlp/url", https, "collector.example.net:4318"],
  ["/telemetry/otlp/interval", /^must be a duration from 1m to 24h/, "59s", "25h", "soon", "0s"],
  ["/telemetry/otlp/headers_file", /^must be an absolute path/, "x"],
  ["/telemetry/syslog/server", /^is missing/, undefined],
  ["/telemetry/syslog/server", server, "https://logs.example", "a..b", "a b", "", "-x", "a.example:6514"],
  ["/telemetry/syslog/port", /^must be/, 0],
  ["/update/rules", /^must be an object/, [], null],
  ["/update/rules", /^must have a health check/, {}, { activate: ["/bin/true"] }],
  ["/update/binary", /^must have a unit or activate/, { health: { http: [{ url: "http://127.0.0.1/" }] } }],
  ["/update/rules/unit", /^must be the name of a service/, "pump", "multi-user.target", "pump@.service"],
  ["/update/rules/unit", /^must be the name of a service such as/, "--all.service"],
  ["/update/rules/activate", /^must be a list/, "/bin/true"],
  ["/update/rules/activate", /^must have at least one/, []],
  ["/update/rules/activate", /^must have at most 32 entries/, ["/bin/true", ...Array(32).fill("a")]],
  ["/update/rules/activate/0", program, "reload", "/usr/../tmp/x", "{release}/../x", "{release}"],
  ["/update/rules/activate/0", program, "/opt/{release}/x"],
  ["/update/rules/self_test/1", /^must be (text|a text without NUL)/, 7, "a\0b"],
  [health, /^must be an object/, "ok"],
  [`${health}/http`, /^must be a list/, {}],
  [`${health}/http/0`, /^must be an obj/, "http://127.0.0.1/"],
  [`${health}/http/0/status`, /^must be (at least 200|a whole number)/, 100, "200"],
  [`${health}/http/0/version_member`, /^must be the name of a member/, ""],
  [`${health}/http/0/url`, loopback, "https://127.0.0.1/", "http://10.0.0.7/", "http://pump.example.net/", 7],
  [`${health}/http/0/url`, loopback, "http://localhost:90/", "http://169.254.169.254/", "http://[fe80::1]/"],
  [`${health}/http/0/url`, loopback, "http://127.0.0.1@evil.example/", "http://0.0.0.0/", "unix:/run/x"],
  [`${health}/http/0/url`, loopback, "http://user:word@127.0.0.1/", "http://127.0.0.1/#a", "127.0.0.1:9000"],
  [`${health}/successes`, /^must be (at least 1|at most 100|a whole number)/, 0, 101, 1.5, "6"],
  [`${health}/interval`, /^must be (text|a duration from 100ms to 1m)/, "99ms", "61s", "2m", "5", "5 s", 5],
  [`${health}/interval`, /^must be a duration from 100ms to 1m/, "-5s", "1h", "1.5s", ""],
  [`${health}/within`, within, "61m", "3601s", "0s", "1h1s", "an hour", null],
  [`${health}/within`, /^must be long enough for 6 answers, one every 5s/, "29s"],
];

describe("a fault of the host file", () => {
  for (const [pointer, words, ...values] of rows)
    it(`at ${pointer || "its top"} ${String(words)}: ${values
      .map((value) => JSON.stringify(value) ?? "nothing")
      .join(", ")
      .slice(0, 200)}`, () => {
      for (const value of values) {
        const { document, faults } = checkHostFile(JSON.stringify(planted(pointer, value)));
        const found = faults.find((fault) => fault.pointer === pointer);
        assert.match(found?.detail ?? JSON.stringify(faults), words, JSON.stringify(value));
        assert.equal(document, null);
      }
    });

  it("is named with all others at once, by the form and by the rules", () => {
    const text =
      '{"names":["a b"],"https":{"port":0},"trusted_proxies":["::/0"],"update":{"proxy":"x","ca_file":"x"}}';
    const pointers = checkHostFile(text).faults.map(({ pointer }) => pointer);
    const all = ["/https/port", "/names/0", "/trusted_proxies/0", "/update/ca_file", "/update/proxy"];
    assert.deepEqual(pointers.toSorted(), all);
  });
});
