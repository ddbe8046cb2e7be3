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

const nothing = plainHostFile();

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

  it("with a fault is refused, with its place", async (test) => {
    await refused(hostFile(test, "names: [a]"), /is not JSON/);
    await refused(hostFile(test, []), /steward\.json must be an object/);
    await refused(hostFile(test, { names: ["edge:8470"] }), /\/names\/0 must be a host name/);
  });

  it("is in force but for members that are not known, each of which is named", async (test) => {
    const health = { http: [{ url: "http://127.0.0.1/", statuss: 1 }] };
    const file = {
      ...{ product: "pump-7", name: "edge", "of a/newer~release": 1 },
      oidc: {
        ...{ issuer: "https://id.example", client_id: "edge-7", origins: ["https://edge-7.example.net"] },
        ...{ secret: "x", roles: { admin: ["a"], root: ["b"] } },
      },
      update: { ca: "/x", rules: { unit: "pump.service", rolback: true, health } },
    };
    const path = hostFile(test, file);
    const { decisions, unknown } = await readHostFile(path, undefined);
    assert.equal(decisions.forRooms.product.name, "pump-7");
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
});
