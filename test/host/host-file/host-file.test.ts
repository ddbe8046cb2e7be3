import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { plainHostFile, readHostFile } from "../../../src/host/linux/host-file/host-file.ts";
import { startAgentInProcess } from "../../agent-in-process.ts";
import { asNobody } from "../../credentials.ts";
import { asRoot } from "./host-file-of-root.ts";
import { ownDirectory, refused, write } from "./judged-host-file.ts";

const nothing = plainHostFile;

const oidc = {
  issuer: "https://id.example.com",
  client_id: "edge-7",
  origins: ["https://edge-7.example.net:8443"],
  roles: { operator: ["plant-operators"] },
};

const oidcNonsense = (
  [
    ["no provider's address", { issuer: undefined }, /as oidc\.issuer: it must be an https address/],
    ["a provider over http", { issuer: "http://id.example.com" }, /as oidc\.issuer: it must be an https/],
    ["an issuer with a query", { issuer: "https://id.example.com/?x" }, /as oidc\.issuer/],
    ["an issuer with a password", { issuer: "https://a:b@id.example.com" }, /as oidc\.issuer/],
    ["no client_id", { client_id: undefined }, /as oidc\.client_id: it must be a text/],
    ["a name with a line feed", { name: "a\nb" }, /as oidc\.name: it must be a text/],
    ["no origin", { origins: [] }, /oidc\.origins must be a list of 1 to 16/],
    ["an origin over plain http", { origins: ["http://edge-7"] }, /in oidc\.origins: it must be an https/],
    ["an origin with a path", { origins: ["https://edge-7/x"] }, /in oidc\.origins: it must be an https/],
    ["an endpoint over http", { endpoint_origins: ["http://127.0.0.1"] }, /in oidc\.endpoint_origins/],
    ["scopes without openid", { scopes: ["profile"] }, /oidc\.scopes must be a list .* openid among them/],
    ["no roles", { roles: {} }, /oidc\.roles must say which groups/],
    ["an unknown role", { roles: { root: ["x"] } }, /"oidc\.roles\.root" that is not known/],
    ["a number for a group", { roles: { admin: [7] } }, /has 7 in oidc\.roles\.admin/],
    ["a relative secret", { client_secret_file: "x" }, /as oidc\.client_secret_file: it must be an absolute/],
    ["an unknown member of oidc", { secret: "x" }, /"oidc\.secret" that is not known/],
  ] as const
).map(([name, change, words]): [string, unknown, RegExp] => [name, { oidc: { ...oidc, ...change } }, words]);

describe("the host file", asRoot, () => {
  it("that is not there says nothing", async () => {
    assert.deepEqual(await readHostFile("/etc/steward-is-not-here/steward.json"), nothing);
  });

  it("of root's names the device", async (test) => {
    const path = write(join(ownDirectory(test), "steward.json"), { names: ["edge-7.example.net"] });
    assert.deepEqual((await readHostFile(path)).names, ["edge-7.example.net"]);
  });

  it("of root's names the proxies that are believed: addresses and ranges", async (test) => {
    const proxies = ["192.0.2.10", "10.1.0.0/16", "2001:db8::1", "fd00:1::/64", "fc00::/7"];
    const path = write(join(ownDirectory(test), "steward.json"), { trusted_proxies: proxies });
    assert.deepEqual(await readHostFile(path), { ...nothing, trustedProxies: proxies });
  });

  it("of root's names units whose log may be read", async (test) => {
    const log_units = ["nginx.service", "backup@home.timer"];
    const path = write(join(ownDirectory(test), "steward.json"), { log_units });
    assert.deepEqual(await readHostFile(path), { ...nothing, logUnits: log_units });
  });

  it("that another user owns is refused, with what to do", async (test) => {
    const path = write(join(ownDirectory(test), "steward.json"), { names: [] });
    chownSync(path, 65_534, 0);
    await refused(path, /must belong to root .*chown root/);
  });

  for (const mode of [0o664, 0o646]) {
    it(`of mode ${mode.toString(8)} is refused: others could have written it`, async (test) => {
      const path = write(join(ownDirectory(test), "steward.json"), { names: [] });
      chmodSync(path, mode);
      await refused(path, /writable by no other user/);
    });
  }

  it("that is closed to the agent is refused, with what to do", async (test) => {
    const path = write(join(ownDirectory(test), "steward.json"), { names: [] });
    chmodSync(path, 0o600);
    await asNobody(() => refused(path, new RegExp(`chmod a\\+rx ${dirname(path)}; chmod a\\+r ${path}`)));
  });

  it("in a directory that others can write is refused: they could have replaced it", async (test) => {
    const directory = mkdtempSync(join(tmpdir(), "steward-host-file-"));
    test.after(() => rmSync(directory, { recursive: true }));
    await refused(
      write(join(directory, "steward.json"), { names: [] }),
      new RegExp(`^StewardError: .*: ${dirname(directory)} must belong`),
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

  it("that is a pipe does not hold the start up", async (test) => {
    const path = join(ownDirectory(test), "steward.json");
    execFileSync("mkfifo", ["-m", "644", path]);
    await refused(path, /must be a regular file/);
  });

  it("of a megabyte is not read", async (test) => {
    await refused(
      write(join(ownDirectory(test), "steward.json"), " ".repeat(1_000_000)),
      /has 1000000 bytes/,
    );
  });

  const nonsense: [string, unknown, RegExp][] = [
    ["no JSON", "names: [a]", /is not JSON/],
    ["a list", [], /must be a JSON object/],
    ["null", null, /must be a JSON object/],
    ["an unknown member", { name: "edge" }, /"name" that is not known/],
    ["names that are no list", { names: "edge" }, /must be a list/],
    ["a name with a port", { names: ["edge:8470"] }, /must be a host name/],
    ["a name with a wildcard", { names: ["*.example.net"] }, /must be a host name/],
    ["log_units that are no list", { log_units: "nginx.service" }, /must be a list/],
    ["a unit without its suffix", { log_units: ["nginx"] }, /"nginx", which is not the name of a unit/],
    ["a pattern for a unit", { log_units: ["*.service"] }, /not the name of a unit/],
    ["an option for a unit", { log_units: ["--unit=a b.service"] }, /not the name of a unit/],
    ["a unit with a line feed", { log_units: ["nginx.service\n"] }, /not the name of a unit/],
    ["a number for a unit", { log_units: [7] }, /not the name of a unit/],
    ["a number for a name", { names: [7] }, /must be a host name/],
    ["a product with blanks", { product: "pump 7" }, /has "pump 7" as product/],
    ["a product that is a path", { product: "../pump" }, /as product: a name/],
    ["a product that is no text", { product: 7 }, /has 7 as product/],
    ["updates that are no object", { update: [] }, /an update that is not an object/],
    ["an unknown member of updates", { update: { ca: "/x" } }, /"update\.ca" that is not known/],
    [
      "a relative ca_file",
      { update: { ca_file: "ca.pem" } },
      /"ca\.pem" as update\.ca_file: it must be an absolute/,
    ],
    ["a word for a switch", { update: { allow_local_servers: "yes" } }, /must be true or false/],
    ["origins that are no list", { update: { redirect_origins: "https://a" } }, /must be a list of origins/],
    ...[
      "cdn.example.net",
      "https://cdn.example.net/path",
      "ftp://cdn.example.net",
      "https://a:b@c",
      "null",
      7,
    ].map((origin): [string, unknown, RegExp] => [
      `${JSON.stringify(origin)} as an origin`,
      { update: { redirect_origins: [origin] } },
      /in update\.redirect_origins: it must be an origin such as/,
    ]),
    ...[
      "proxy:3128",
      "https://proxy:3128",
      "socks5://proxy",
      "http://user:word@proxy",
      "http://proxy/x",
      "",
      7,
    ].map((proxy): [string, unknown, RegExp] => [
      `${JSON.stringify(proxy)} as a proxy of updates`,
      { update: { proxy } },
      /as update\.proxy: it must be an address such as/,
    ]),
    ["proxies that are no list", { trusted_proxies: "10.0.0.1" }, /trusted_proxies must be a list/],
    ["all of IPv4 as a proxy", { trusted_proxies: ["0.0.0.0/0"] }, /"0.0.0.0\/0": the range is so large/],
    ["all of IPv6 as a proxy", { trusted_proxies: ["::/0"] }, /"::\/0": the range is so large/],
    ["half of IPv4 as a proxy", { trusted_proxies: ["128.0.0.0/1"] }, /the range is so large/],
    [
      "all of IPv4 in IPv6's clothes",
      { trusted_proxies: ["::ffff:0.0.0.0/96"] },
      /neither an address nor a range/,
    ],
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
    ].map((entry): [string, unknown, RegExp] => [
      `${JSON.stringify(entry)} as a proxy`,
      { trusted_proxies: ["10.0.0.1", entry] },
      /neither an address nor a range such as/,
    ]),
    ...oidcNonsense,
  ];
  for (const [name, content, words] of nonsense) {
    it(`with ${name} is refused`, async (test) => {
      await refused(write(join(ownDirectory(test), "steward.json"), content), words);
    });
  }

  it("lets the agent answer to the name, and to no other", async (test) => {
    const path = write(join(ownDirectory(test), "steward.json"), { names: ["edge-7.example.net"] });
    const agent = await startAgentInProcess({ arguments: ["--host-file", path] });
    test.after(() => agent.dispose());
    const statusOf = async (host: string) =>
      (await agent.call("GET", "/api/version", { headers: { host } })).status;
    assert.equal(await statusOf("EDGE-7.example.net:8470"), 200);
    assert.equal(await statusOf("edge-8.example.net"), 421);
  });

  it("that cannot be used keeps the agent from starting: half of it would be a guess", async (test) => {
    const path = write(join(ownDirectory(test), "steward.json"), "{");
    await assert.rejects(startAgentInProcess({ arguments: ["--host-file", path] }), /exit 6.*is not JSON/);
  });
});
