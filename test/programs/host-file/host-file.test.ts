import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { asNobody } from "../../../lab/host/credentials.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";
import { plainHostFile as plainDocument } from "../../../src/contract/host-file/members.ts";
import { checkHostFile } from "../../../src/programs/host-file/check.ts";
import { plainHostFile, readHostFile } from "../../../src/programs/host-file/host-file.ts";

/** A host file, and the words with which it is refused. */
type Row = readonly [content: unknown, words: RegExp];

const nothing = plainHostFile();

const oidc = {
  issuer: "https://id.example.com",
  client_id: "edge-7",
  origins: ["https://edge-7.example.net:8443"],
  roles: { operator: ["plant-operators"] },
};

const oidcNonsense = (
  [
    [{ issuer: undefined }, /\/oidc\/issuer is missing/],
    [{ issuer: "http://id.example.com" }, /\/oidc\/issuer must be an https/],
    [{ issuer: "https://id.example.com/?x" }, /\/oidc\/issuer must be an https address/],
    [{ issuer: "https://a:b@id.example.com" }, /\/oidc\/issuer must be an https address/],
    [{ client_id: undefined }, /\/oidc\/client_id is missing/],
    [{ name: "a\nb" }, /\/oidc\/name must be a text/],
    [{ origins: [] }, /\/oidc\/origins must have at least one/],
    [{ origins: ["http://edge-7"] }, /\/oidc\/origins\/0 must be an https/],
    [{ origins: ["https://edge-7/x"] }, /\/oidc\/origins\/0 must be an https/],
    [{ endpoint_origins: ["http://127.0.0.1"] }, /\/oidc\/endpoint_origins\/0 must be an https/],
    [{ scopes: ["profile"] }, /\/oidc\/scopes must have openid among them/],
    [{ roles: {} }, /\/oidc\/roles must say which groups/],
    [{ roles: { root: ["x"] } }, /\/oidc\/roles must say which groups/],
    [{ roles: { admin: [7] } }, /\/oidc\/roles\/admin\/0 must be text/],
    [{ client_secret_file: "x" }, /\/oidc\/client_secret_file must be an absolute/],
  ] as const
).map(([change, words]): Row => [{ oidc: { ...oidc, ...change } }, words]);

describe("the host file", asRoot, () => {
  it("that is not there says nothing", async () => {
    assert.deepEqual(await readAt("/etc/steward-is-not-here/steward.json"), nothing);
  });

  it("that is empty says nothing either: the schema has its defaults from the same place", async (test) => {
    assert.deepEqual(checkHostFile("{}"), { document: plainDocument, faults: [], unknown: [] });
    assert.deepEqual(await readAt(hostFile(test, {})), nothing);
  });

  it("of root's names the device, units whose log may be read, and the proxies that are believed", async (test) => {
    const names = ["edge-7.example.net"];
    const log_units = ["nginx.service", "backup@home.timer"];
    const proxies = ["192.0.2.10", "10.1.0.0/16", "2001:db8::1", "fd00:1::/64", "fc00::/7"];
    const path = hostFile(test, { names, log_units, trusted_proxies: proxies });
    assert.deepEqual(await readAt(path), { ...nothing, names, trustedProxies: proxies, logUnits: log_units });
  });

  it("that another user owns is refused, with what to do", async (test) => {
    const path = hostFile(test, { names: [] });
    chownSync(path, 65_534, 0);
    await refused(path, /must belong to root .*chown root/);
  });

  for (const mode of [0o664, 0o646]) {
    it(`of mode ${mode.toString(8)} is refused: others could have written it`, async (test) => {
      const path = hostFile(test, { names: [] });
      chmodSync(path, mode);
      await refused(path, /writable by no other user/);
    });
  }

  it("that is closed to the agent is refused, with what to do", async (test) => {
    const path = hostFile(test, { names: [] });
    chmodSync(path, 0o600);
    await asNobody(() => refused(path, new RegExp(`chmod a\\+rx ${dirname(path)}; chmod a\\+r ${path}`)));
  });

  it("in a directory that others can write is refused: they could have replaced it", async () => {
    const directory = scratchDirectory();
    await refused(
      write(join(directory, "steward.json"), { names: [] }),
      new RegExp(`steward\\.json is not safe: ${dirname(directory)} must belong`),
    );
  });

  it("behind a link is judged where it lies", async (test) => {
    const directory = ownDirectory(test);
    mkdirSync(join(directory, "loose"));
    chmodSync(join(directory, "loose"), 0o777);
    const target = write(join(directory, "loose/steward.json"), { names: [] });
    symlinkSync(target, join(directory, "steward.json"));
    await refused(join(directory, "steward.json"), /loose must belong to root/);
  });

  it("of a megabyte is not read", (test) => refused(hostFile(test, " ".repeat(1_000_000)), /has 1000000 b/));

  const nonsense: Row[] = [
    ["names: [a]", /is not JSON/],
    [[], /steward\.json must be an object/],
    [null, /steward\.json must be an object/],
    [{ names: "edge" }, /\/names must be a list/],
    [{ names: ["edge:8470"] }, /\/names\/0 must be a host name/],
    [{ names: ["*.example.net"] }, /\/names\/0 must be a host name/],
    [{ log_units: "nginx.service" }, /\/log_units must be a list/],
    [{ log_units: ["nginx"] }, /\/log_units\/0 must be a systemd unit/],
    [{ log_units: ["*.service"] }, /\/log_units\/0 must be a systemd unit/],
    [{ log_units: ["--unit=a b.service"] }, /\/log_units\/0 must be a systemd unit/],
    [{ log_units: ["nginx.service\n"] }, /\/log_units\/0 must be a systemd unit/],
    [{ log_units: [7] }, /\/log_units\/0 must be text/],
    [{ names: [7] }, /\/names\/0 must be text/],
    [{ product: "pump 7" }, /\/product must be a name/],
    [{ product: "../pump" }, /\/product must be a name/],
    [{ product: 7 }, /\/product must be text/],
    [{ update: [] }, /\/update must be an object/],
    [{ update: { ca_file: "ca.pem" } }, /\/update\/ca_file must be an absolute/],
    [{ update: { allow_local_servers: "yes" } }, /\/update\/allow_local_servers must be true or false/],
    [{ update: { redirect_origins: "https://a" } }, /\/update\/redirect_origins must be a list/],
    ...[
      "cdn.example.net",
      "https://cdn.example.net/path",
      "ftp://cdn.example.net",
      "https://*.example.net",
      "https://cdn.*",
      "*",
      "https://a:b@c",
      "null",
      7,
    ].map(
      (origin): Row => [
        { update: { redirect_origins: [origin] } },
        /\/update\/redirect_origins\/0 must be (text|an origin such as .*, named in full)/,
      ],
    ),
    ...[
      "proxy:3128",
      "https://proxy:3128",
      "socks5://proxy",
      "http://user:word@proxy",
      "http://proxy/x",
      "",
      7,
    ].map((proxy): Row => [{ update: { proxy } }, /\/update\/proxy must be (text|an address such as)/]),
    [{ trusted_proxies: "10.0.0.1" }, /\/trusted_proxies must be a list/],
    [{ trusted_proxies: ["0.0.0.0/0"] }, /\/trusted_proxies\/0 must be a smaller range/],
    [
      { trusted_proxies: ["10.0.0.5/8"] },
      /\/trusted_proxies\/0 has bits behind its prefix: write 10\.0\.0\.0\/8 for the range, or 10\.0\.0\.5 /,
    ],
    [{ trusted_proxies: ["::/0"] }, /\/trusted_proxies\/0 must be a smaller range/],
    [{ trusted_proxies: ["128.0.0.0/1"] }, /\/trusted_proxies\/0 must be a smaller range/],
    [{ trusted_proxies: ["::ffff:0.0.0.0/96"] }, /\/trusted_proxies\/0 must be an address, or a range/],
    ...[
      "",
      "proxy.example.net",
      "10.0.0.1:80",
      "10.0.0",
      "10.0.0.256",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.0/-1",
      "10.0.0.0/8 ",
      "2001:db8::/129",
      "[2001:db8::1]",
      "fe80::1%eth0",
      7,
      null,
      ["10.0.0.1"],
    ].map(
      (entry): Row => [
        { trusted_proxies: ["10.0.0.1", entry] },
        /\/trusted_proxies\/1 must be (text|an address, or a range such as)/,
      ],
    ),
    ...oidcNonsense,
  ];
  for (const [content, words] of nonsense)
    it(`that is ${JSON.stringify(content)} is refused`, (test) => refused(hostFile(test, content), words));

  it("is in force but for members that are not known, each of which is named", async (test) => {
    const health = { http: [{ url: "http://127.0.0.1/", statuss: 1 }] };
    const file = {
      ...{ product: "pump-7", name: "edge", "of a/newer~release": 1 },
      oidc: { ...oidc, secret: "x", roles: { admin: ["a"], root: ["b"] } },
      update: { ca: "/x", rules: { unit: "pump.service", rolback: true, health } },
    };
    const path = hostFile(test, file);
    const { decisions, unknown } = await readHostFile(path, undefined);
    assert.equal(decisions.forRooms.product, "pump-7");
    assert.deepEqual(unknown.toSorted(), [
      // RFC 6901 §3: "/" is ~1 in a pointer, and "~" is ~0.
      ...["/name", "/of a~1newer~0release", "/oidc/roles/root", "/oidc/secret", "/update/ca"],
      ...["/update/rules/health/http/0/statuss", "/update/rules/rolback"],
    ]);
  });

  it("may name its schema, for editors", () => {
    const { document, unknown } = checkHostFile('{"$schema": "host-file.schema.json", "names": ["edge-7"]}');
    assert.deepEqual([document?.names, unknown], [["edge-7"], []]);
  });

  it("with several faults names all of them at once, by the form and by the rules", () => {
    const text =
      '{"names":["a b"],"https":{"port":0},"trusted_proxies":["::/0"],"update":{"proxy":"x","ca_file":"x"}}';
    assert.deepEqual(
      checkHostFile(text)
        .faults.map(({ pointer }) => pointer)
        .toSorted(),
      ["/https/port", "/names/0", "/trusted_proxies/0", "/update/ca_file", "/update/proxy"],
    );
  });
});
