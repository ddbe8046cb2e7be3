import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  serverFault,
  type TimeServerEntry,
  timeServer,
  timeServerErrors,
  timeServerText,
  withHost,
  withNts,
} from "../../../src/contract/clock/time-server.ts";
import { serverName } from "../../../src/contract/schemas/settings.ts";

describe("an item of time.servers", () => {
  const entries: readonly TimeServerEntry[] = [
    "a.example:1123",
    { host: "b.example", nts: true },
    { host: "c.example", nts: false },
  ];
  const hosts = ["a.example:1123", "b.example", "c.example"];
  const [plain, secured] = [false, true].map((nts) => hosts.map((host) => ({ host, nts })));

  for (const [what, found, expected] of [
    ["is a server with or without NTS", entries.map(timeServer), [plain?.[0], secured?.[1], plain?.[2]]],
    ["has a text", entries.map(timeServerText), ["a.example:1123", "b.example (NTS)", "c.example"]],
    [
      "keeps its form and its NTS under another host",
      entries.map((entry) => withHost(entry, "d")),
      ["d", { host: "d", nts: true }, { host: "d", nts: false }],
    ],
    ["is an object with NTS", entries.map((entry) => withNts(entry, true)), secured],
    ["is a text without", entries.map((entry) => withNts(entry, false)), hosts],
  ] as const)
    it(what, () => assert.deepEqual(found, expected));

  it("is listed once, in whatever form", () => {
    const pointers = (...added: TimeServerEntry[]) =>
      timeServerErrors([...entries, ...added], "/servers").map(({ pointer, code }) => `${pointer} ${code}`);
    assert.deepEqual(pointers(), []);
    const found = pointers({ host: "a.example:1123", nts: true }, "b.example", "0.0.0.0");
    assert.deepEqual(found, ["/servers/3 uniqueItems", "/servers/4 uniqueItems", "/servers/5 out_of_range"]);
  });
});

describe("the address of a time server", () => {
  const form = new RegExp(serverName.pattern);
  for (const text of [
    ...["ntp.example", "ntp.example.", "ntp_1.example", "_ntp._udp.example.:1", "ntp", "1a.example", "x--y"],
    ...["0.debian.pool.ntp.org", "224.1.2.3.example", "0.example:1"],
    ...["192.0.2.1", "127.0.0.1:65535", "10.0.0.255", "223.255.255.255", "240.0.0.1", "169.254.1.1"],
    ...["[::1]", "[2001:db8::1]:124", "[::ffff:192.0.2.1]", "[fd00::1]", "[fec0::1]"],
    ...["[fe80::1%eth0]", "[fe80::1%25eth0]:124", "[fe80::1%br_lan.7]", "[FE80::1%2]", "[febf::1%wg-0~]"],
  ])
    it(`may be ${text}`, () => {
      assert.match(text, form);
      assert.equal(serverFault(text), null);
    });

  for (const [why, texts] of [
    [/not an IP address/, "[:::::] [::1::] [1:2:3] [12345::] [1.2.3.4] 256.1.1.1 1.2.3.4.5"],
    [/no single server/, "0.0.0.0 0.0.0.0:123 0 [::] [0:0::0]:123 [ff02::101] [ff02::101%eth0]"],
    [/no single server/, "224.0.1.1 239.255.255.255 255.255.255.255"],
    [/needs the interface .*: \[fe[8b].*%eth0\]/i, "[fe80::1] [fe80::1]:124 [FEBF::1]"],
    [/port outside 1 to 65535/, "ntp.example:0 ntp.example:65536 [::1]:0 [fe80::1%eth0]:99999"],
  ] as const)
    for (const text of texts.split(" "))
      it(`is not ${text}, and the reason is said`, () => {
        assert.match(text, form);
        assert.match(serverFault(text) ?? "", why);
      });

  for (const text of ["fe80::1%eth0", "[fe80::1%]", "[fe80::1%a b]", "[%eth0]", "a..b", ".a", "a..", "-a"])
    it(`has another form than ${text}`, () => assert.doesNotMatch(text, form));
});
