import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { longestLine, networkOf, readLogLine } from "../../../src/publishing/rollout/access-log.ts";

// date -u -d "2026-11-23 07:20:11" +%s
const seconds = 1_795_418_411;
const report = "steward/0.1.0;v=1, product/demo";
// As nginx 1.22 wrote it with the format of docs/updates/publish.md.
const nginx = `192.0.2.7 - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 451 "-" "Steward/0.1.0 (demo; x64)"`;

describe("a line of an access log", () => {
  for (const [what, line, expected] of [
    ["of nginx, with a report", `${nginx} "${report}"`, { seconds, address: "192.0.2.7", report }],
    ["of nginx, without one", `${nginx} "-"`, { seconds, address: "192.0.2.7", report: null }],
    ["in the plain combined format", nginx, { seconds, address: "192.0.2.7", report: null }],
    [
      "of Apache, where a client sends quotation marks",
      `2001:db8::1 - bob [23/Nov/2026:07:20:11 +0000] "GET / HTTP/1.1" 404 196 "-" "a \\"b\\" [c" "evil \\" report"`,
      { seconds, address: "2001:db8::1", report: 'evil \\" report' },
    ],
    [
      "of nginx as JSON",
      JSON.stringify({
        time_iso8601: "2026-11-23T08:20:11+01:00",
        remote_addr: "192.0.2.7",
        request: "GET / HTTP/1.1",
        steward_report: report,
      }),
      { seconds, address: "192.0.2.7", report },
    ],
    [
      "of Caddy",
      JSON.stringify({
        ts: 1795418411.73,
        request: { remote_ip: "192.0.2.7", headers: { "Steward-Report": [report] } },
      }),
      { seconds, address: "192.0.2.7", report },
    ],
    [
      "of nginx as JSON with its seconds, and without a report",
      JSON.stringify({ msec: "1795418411.730", remote_addr: "192.0.2.7" }),
      { seconds, address: "192.0.2.7", report: null },
    ],
    [
      "with a time that is none",
      nginx.replace("Nov/2026", "Brumaire/35"),
      { seconds: null, address: "192.0.2.7", report: null },
    ],
    ["of JSON without an address", JSON.stringify({ steward_report: report }), null],
    ["that is cut off", nginx.slice(0, 60), null],
    ["of JSON that is cut off", '{"remote_addr":"192.0.2.7"', null],
    ["of bytes", "\u0000\u0016\u0003\u0001ÿþ", null],
    ["that is too long", `${nginx} "${"a".repeat(longestLine)}"`, null],
    ["that is empty", "", null],
  ] as const) {
    it(what, () => assert.deepEqual(readLogLine(line), expected));
  }
});

describe("the network of an address", () => {
  for (const [address, expected] of [
    ["192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:DB8:1:2::6", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["host.example", "host.example"],
  ] as const) {
    it(address, () => assert.equal(networkOf(address), expected));
  }
});
