import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { sampled } from "../../../lab/basics/counts.ts";
import type { Ending } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { type Lab, recovers, refused, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import {
  after,
  answering,
  cutAfter,
  dripping,
  drippingHead,
  endless,
  gzipped,
  instead,
  packedAs,
  redirectTo,
  silent,
  truncatedTo,
} from "../../../lab/publisher/behaviours.ts";
import { type Behaviour, startHostileServer } from "../../../lab/publisher/hostile-server.ts";
import { caps } from "../../../src/tuf/caps.ts";

/** Each of the four files that a refresh may fetch, and what was kept before it. */
const files: [string, RegExp, string[]][] = [
  ["root", /\d\.root\.json$/, []],
  ["timestamp", /timestamp\.json$/, []],
  ["snapshot", /snapshot\.json$/, ["timestamp"]],
  ["targets", /targets\.json$/, ["timestamp", "snapshot"]],
];

/** A lab whose publisher has gone on, so that every file is asked for; without lengths, so that the caps count. */
async function labAhead(test: Ending, { pinned = false, root = false } = {}): Promise<Lab> {
  const lab = await startLab(test, { pinned });
  if (root) lab.repository.publishRoot();
  lab.repository.publish("targets", "rules");
  return lab;
}

/** As `withstands` where this file of the publisher's next versions is answered so, and no connection is left open. */
async function withstandsAt(
  test: Ending,
  [name, path, moved]: (typeof files)[number],
  behaviour: Behaviour,
  expected: Omit<Parameters<typeof withstands>[1], "moved">,
): ReturnType<typeof withstands> {
  const lab = await labAhead(test, { root: name === "root" });
  lab.server.behave(path, behaviour);
  return withstandsOn(lab, { ...expected, moved });
}

describe("endless data attack", () => {
  const longHead: Behaviour = ({ response }) =>
    response.writeHead(200, { "content-length": "9000000000" }).flushHeaders();
  const few = { rootBytes: 300_000, snapshotBytes: 300_000, targetsBytes: 300_000 };
  const slow = { refreshSeconds: 0.8, minimumBytesPerSecond: 100, rateWindowSeconds: 0.3 };
  const rate = { rateWindowSeconds: 0.3 };
  const soon = { headSeconds: 0.3 };
  const [large, late] = ["update_too_large", "update_too_slow"];

  for (const [what, behaviour, code, limits] of [
    ["in bytes, without end, is left at its cap", endless(), large, few],
    ["in bytes, announced as longer than its cap, is not read at all", longHead, large, {}],
    ["in time, in drips, ends with the minimum rate", dripping(20, 50), late, rate],
    ["in time, just fast enough, ends with the whole refresh's seconds", dripping(20, 20), late, slow],
    ["in time, never answered, ends with the head's seconds", silent(), late, soon],
    ["in time, with its head in drips, ends with the head's seconds", drippingHead(20), late, soon],
  ] as [string, Behaviour, string, object][])
    for (const file of files)
      it(`a ${file[0]} ${what}`, async (test) => {
        const { message } = await withstandsAt(test, file, behaviour, { code, caps: limits });
        if (limits === few) assert.match(message, file[0] === "timestamp" ? /16384/ : /300000/);
      });

  it("in bytes: a signed length is the cap where it is less", async (test) => {
    const lab = await labAhead(test, { pinned: true });
    lab.server.behave(/snapshot\.json$/, endless());
    const error = await withstandsOn(lab, { code: "update_too_large", moved: ["timestamp"] });
    assert.ok(!error.message.includes(String(caps.snapshotBytes)), error.message);
  });

  it("in bytes: a head without end ends the refresh", async (test) => {
    const lab = await labAhead(test);
    const name = "x".repeat(60_000);
    lab.server.behave(/timestamp\.json$/, answering(200, "{}", { "x-padding": name }));
    await withstandsOn(lab, { code: "update_server_unreachable" });
  });

  it("in requests: roots without end stop at the cap on rotations", async (test) => {
    const lab = await startLab(test);
    for (let count = 0; count < 8; count += 1) lab.repository.publishRoot();
    await refused("update_limit_exceeded", lab.refresh({ caps: { rootRotations: 5 } }));
    assert.equal(lab.server.requests.length, 5);
    await recovers(lab);
  });
});

/** Members of gzip that unpack to nothing: a limit on only the unpacked size would never end them. */
function manyNothings(): Buffer {
  const nothing = gzipSync("");
  return Buffer.alloc(6_000_000, nothing);
}

describe("metadata that are something else", () => {
  const page = "<!doctype html><title>Sign in to the hotel</title><p>Welcome!".padEnd(400);
  const bomb = Buffer.alloc(50_000_000, 0x20);
  const answers: [string, Behaviour, string][] = [
    ["an empty file", instead(Buffer.alloc(0)), "update_metadata_malformed"],
    ["the first half of the file", truncatedTo(200), "update_metadata_malformed"],
    ["a connection cut in the middle", cutAfter(100), "update_server_unreachable"],
    ["500", answering(500), "update_server_unreachable"],
    ["503", answering(503, "", { "retry-after": "120" }), "update_server_unreachable"],
    ["429", answering(429), "update_server_unreachable"],
    ["401", answering(401), "update_server_refused"],
    ["204", answering(204), "update_server_refused"],
    ["206", answering(206, "{}"), "update_server_refused"],
    ["304 to no question", answering(304), "update_server_refused"],
  ];
  const packed: typeof answers = [
    ["a gzip bomb", gzipped(bomb), "update_too_large"],
    ["gzip without content in members without end", packedAs(manyNothings()), "update_too_large"],
    ["gzip that is cut off", packedAs(gzipSync("something else").subarray(0, -9)), "update_server_refused"],
    ["gzip that is none", packedAs(Buffer.from(page)), "update_server_refused"],
    ["gzip of something else", gzipped(Buffer.from("something else")), "update_metadata_malformed"],
    ["another coding", packedAs(brotliCompressSync(page), "br"), "update_server_refused"],
    ["gzip in gzip", packedAs(gzipSync(gzipSync(page)), "gzip, gzip"), "update_server_refused"],
  ];
  // All four are fetched alike: the timestamp is tried with each answer, the others with some.
  for (const file of files) {
    const [name] = file;
    const some = sampled(answers, { oneIn: name === "timestamp" ? 2 : 8 });
    const compressed = sampled(packed, { oneIn: name === "targets" ? 1 : 4 });
    for (const [what, behaviour, code] of [...some, ...compressed])
      it(`${what} in the place of the ${name}`, async (test) => {
        await withstandsAt(test, file, behaviour, { code });
      });
  }

  const pages: [string, Behaviour][] = [
    ["a page", answering(200, page, { "content-type": "text/html" })],
    ["a page that nothing calls one", instead(Buffer.from(page))],
    ["a compressed page", gzipped(Buffer.from(page))],
    ["a page of 600 kB", answering(200, page.padEnd(600_000), { "content-type": "text/html" })],
    ["the network's demand to sign in", answering(511, page)],
  ];
  for (const [what, behaviour] of pages) {
    for (const file of files.slice(1))
      it(`${what} in the place of the ${file[0]} is called that`, async (test) => {
        await withstandsAt(test, file, behaviour, { code: "update_web_page" });
      });

    // An attacker who can send it could send a 404: until the root in force expires, nothing else comes of either.
    it(`${what} in the place of the next root means what a 404 there means`, async (test) => {
      const outcomes = [behaviour, answering(404)].map(async (answered) => {
        const lab = await labAhead(test, { root: true });
        lab.server.behave(/\d\.root\.json$/, answered);
        const { root, rotations, snapshot } = await lab.refresh();
        const asked = lab.server.requests.map(({ path: one }) => one);
        const expired = new Date("2099-01-01");
        await refused("update_metadata_expired", lab.refresh({ now: expired }));
        await recovers(lab);
        return { version: root.version, rotations, snapshot: snapshot.version, asked };
      });
      const [ofPage, of404] = await Promise.all(outcomes);
      assert.deepEqual(ofPage, of404);
      assert.equal(ofPage?.rotations, 0);
    });
  }

  it("a file cut to its first bytes where its length was signed does not belong to the others", async (test) => {
    const lab = await labAhead(test, { pinned: true });
    lab.server.behave(/targets\.json$/, truncatedTo(200));
    await withstandsOn(lab, { code: "update_metadata_mismatch", moved: ["timestamp", "snapshot"] });
  });
});

describe("redirects", () => {
  for (const file of files) {
    it(`of the ${file[0]} to another origin are not followed`, async (test) => {
      const other = await startHostileServer(test, new Map());
      const elsewhere: Behaviour = (exchange) => redirectTo(`${other.origin}/${exchange.path}`)(exchange);
      await withstandsAt(test, file, elsewhere, { code: "update_server_refused" });
      assert.equal(other.requests.length, 0, "the other origin was asked");
    });

    it(`of the ${file[0]} in a loop end`, async (test) => {
      const here: Behaviour = (exchange) => redirectTo(`/${exchange.path}`)(exchange);
      await withstandsAt(test, file, here, { code: "update_server_refused" });
    });
  }

  it("that never come to an end stop at the cap", async (test) => {
    const lab = await labAhead(test);
    let hops = 0;
    lab.server.behave(/^hop|timestamp/, (exchange) => {
      hops += 1;
      return redirectTo(`/hop/${hops}`)(exchange);
    });
    await withstandsOn(lab, { code: "update_server_refused" });
    assert.ok(hops <= caps.redirects + 1, `${hops} requests`);
  });

  const elsewhere = ["file:///etc/passwd", "ftp://127.0.0.1/", "//evil.example/x", "http://", "data:,{}"];
  for (const location of [...elsewhere, "https://127.0.0.1:PORT/"])
    it(`to ${location} are not followed`, async (test) => {
      const lab = await labAhead(test);
      const to = location.replace("PORT", String(lab.server.port));
      lab.server.behave(/timestamp\.json$/, redirectTo(to));
      await withstandsOn(lab, { code: "update_server_refused" });
    });
});

describe("DNS answering with a link-local address", () => {
  const resolved = async (test: Ending, ...answers: string[][]) => {
    const lab = await labAhead(test);
    const last = answers.at(-1) ?? [];
    const resolveHost = async () => answers.shift() ?? last;
    const url = `http://updates.example:${lab.server.port}`;
    return { lab, way: { url, resolveHost, allowLocalServers: false, caps: { headSeconds: 0.3 } } };
  };

  for (const address of [
    "169.254.169.254",
    "fe80::1",
    "::ffff:169.254.169.254",
    "127.0.0.1",
    "::1",
    "0.0.0.0",
  ])
    it(`such as ${address} is refused before a connection is made`, async (test) => {
      const { lab, way } = await resolved(test, [address]);
      await withstandsOn(lab, { code: "update_server_refused", ...way });
    });

  it("beside a good one is not gone on to", async (test) => {
    const { lab, way } = await resolved(test, ["127.0.0.1", "192.0.2.1"]);
    await assert.rejects(lab.refresh(way), /update_|/);
    assert.equal(lab.server.requests.length, 0, "the local address was asked");
  });

  it("changes from the first question to the second, and is refused at the second", async (test) => {
    const { lab, way } = await resolved(test, ["192.0.2.1"], ["127.0.0.1"]);
    await assert.rejects(lab.refresh(way));
    await refused("update_server_refused", lab.refresh(way));
    assert.equal(lab.server.requests.length, 0, "the local address was asked");
  });
});

describe("a server that changes files in mid-refresh", () => {
  /** A lab whose server does this once before it answers with the snapshot. */
  const changing = async (test: Ending, change: (lab: Lab) => void, pinned = false) => {
    const lab = await labAhead(test, { pinned });
    let isChanged = false;
    const once = (): void => {
      if (!isChanged) change(lab);
      isChanged = true;
    };
    lab.server.behave(/snapshot\.json$/, after(once));
    return lab;
  };

  it("to the publisher's next version, the old kept: the refresh is of one time, the next one of the other", async (test) => {
    const lab = await changing(test, ({ repository }) => repository.publish("targets", "rules"));
    const { version } = lab.repository.snapshot;
    assert.equal((await lab.refresh()).snapshot.version, version);
    assert.ok(lab.repository.snapshot.version > version, "nothing was changed");
    await recovers(lab);
  });

  it("to the publisher's next version, the old gone: nothing is mixed", async (test) => {
    const lab = await changing(test, ({ repository, server }) => {
      const old = `metadata/${repository.snapshot.version}.snapshot.json`;
      repository.publish("targets", "rules");
      server.files = new Map([...repository.files].filter(([path]) => path !== old));
    });
    await withstandsOn(lab, { code: "update_file_missing", moved: ["timestamp"] });
  });

  it("to a file of the same name and other content", async (test) => {
    const lab = await changing(
      test,
      ({ repository, server }) => {
        const evil = repository.fork();
        evil.targets.version -= 1;
        evil.targets.expires = "2039-01-01T00:00:00Z";
        evil.publish("targets");
        evil.files.set(
          `metadata/${repository.snapshot.version}.snapshot.json`,
          repository.metadata(`${repository.snapshot.version}.snapshot`),
        );
        server.files = evil.files;
      },
      true,
    );
    await withstandsOn(lab, { code: "update_metadata_mismatch", moved: ["timestamp", "snapshot"] });
  });
});

/** As `withstands`, and no connection is left open behind. */
async function withstandsOn(
  lab: Lab,
  options: Parameters<typeof withstands>[1],
): ReturnType<typeof withstands> {
  const error = await withstands(lab, options);
  await until("all connections are closed", () => lab.server.openConnections() === 0);
  return error;
}
