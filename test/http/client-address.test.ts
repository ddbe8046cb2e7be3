import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import fc from "fast-check";
import { requestText, sendRaw } from "../../lab/agents/raw-http.ts";
import { codePoint } from "../../lab/basics/code-point.ts";
import { loopbackKey } from "../../src/accounts/throttle/client-key.ts";
import { createClientOf, createSchemeOf } from "../../src/http/client-address.ts";
import { listen } from "./fixture.ts";

const proxy = "10.0.0.1";
const trusted = [proxy, "10.1.0.0/16", "2001:db8:ffff::/48"];

/** A request as node:http hands it over, from this peer. */
function request(peer: string | undefined, headers: Record<string, string> = {}, encrypted = false) {
  const socket = { remoteAddress: peer, ...(encrypted && { encrypted }) };
  return { socket, headers } as unknown as IncomingMessage;
}

const clientOf = createClientOf(trusted);
const forwarded = (header: string, peer = proxy) => clientOf(request(peer, { "x-forwarded-for": header }));

describe("the source of a request", () => {
  const peers: [string, string | undefined, string, string][] = [
    ["an IPv4 address", "192.0.2.7", "192.0.2.7", "192.0.2.7"],
    ["IPv4 mapped into IPv6", "::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7"],
    ["IPv4 mapped into IPv6 in hex", "::FFFF:c000:0207", "192.0.2.7", "192.0.2.7"],
    ["an IPv6 address", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["an IPv6 address in capitals with zeros", "2001:0DB8::0001", "2001:db8::1", "2001:db8:0:0::/64"],
    ["a run of zeros across the middle", "2001:db8:1::3:0:1", "2001:db8:1::3:0:1", "2001:db8:1:0::/64"],
    ["a link-local address with its zone", "fe80::1%eth0", "fe80::1", "fe80:0:0:0::/64"],
    ["loopback", "::1", "::1", "loopback"],
    ["another address of 127/8", "127.9.8.7", "127.9.8.7", "loopback"],
    ["loopback mapped into IPv6", "::ffff:127.0.0.1", "127.0.0.1", "loopback"],
    ["an IPv4-compatible address", "::192.0.2.7", "::192.0.2.7", "0:0:0:0::/64"],
    ["a connection that is gone", undefined, "", ""],
  ];
  for (const [what, peer, address, source] of peers)
    it(`of ${what} is ${source || "empty"}`, () => {
      const found = clientOf(request(peer));
      assert.deepEqual([found.address, found.clientKey], [address, source]);
    });
});

describe("the local user behind a request", () => {
  const asked: number[] = [];
  const userOf = createClientOf(trusted, async ({ remotePort }) => {
    asked.push(remotePort);
    return remotePort === 3 ? null : 1_000 + remotePort;
  });
  const from = (peer: string, remotePort: number, header?: string) => {
    const headers = header === undefined ? {} : { "x-forwarded-for": header };
    const socket = { remoteAddress: peer, remotePort, localAddress: "127.0.0.1", localPort: 8_470 };
    return { socket, headers } as unknown as IncomingMessage;
  };

  it("is asked for when an attempt is judged, and once a connection", async () => {
    const one = from("127.0.0.1", 1);
    for (let count = 0; count < 3; count += 1) userOf(one);
    assert.deepEqual(asked, []);
    for (let count = 0; count < 3; count += 1)
      assert.equal(await userOf(one).keyOfUser?.(), "loopback user 1001");
    assert.deepEqual(asked, [1]);
    assert.equal(await userOf(from("::1", 2)).keyOfUser?.(), "loopback user 1002", "another user");
  });

  it("is any of them where the host cannot tell, and none from elsewhere, nor of a proxy's client", async () => {
    assert.equal(await userOf(from("127.0.0.1", 3)).keyOfUser?.(), "loopback");
    assert.equal(userOf(from("192.0.2.7", 4)).keyOfUser, undefined);
    assert.equal(userOf(from(proxy, 5, "127.0.0.1")).keyOfUser, undefined);
  });
});

describe("X-Forwarded-For", () => {
  it("of a stranger does not count (spoofing)", () => {
    assert.equal(forwarded("198.51.100.1", "192.0.2.7").address, "192.0.2.7");
    assert.equal(createClientOf([])(request(proxy, { "x-forwarded-for": "198.51.100.1" })).address, proxy);
  });

  const read: [string, string, string][] = [
    ["the one address", "192.0.2.7", "192.0.2.7"],
    ["the right-most, not what the client wrote before it", "127.0.0.1, 192.0.2.7", "192.0.2.7"],
    ["the one left of trusted proxies", "192.0.2.7, 10.1.2.3, 2001:db8:ffff::9", "192.0.2.7"],
    ["not what stands left of a stranger", "10.1.2.3, 198.51.100.9, 192.0.2.7, 10.1.2.3", "192.0.2.7"],
    ["the right one although the client wrote garbage", "<script>, ,, 192.0.2.7", "192.0.2.7"],
    ["the right one although the client wrote very much", `${"1".repeat(9_000)}, 192.0.2.7`, "192.0.2.7"],
    ["an address with a port", "192.0.2.7:4711", "192.0.2.7"],
    ["an address in brackets with a port", "[2001:DB8::7]:4711", "2001:db8::7"],
    ["an address with its zone", "fe80::1%eth0", "fe80::1"],
    ["a mapped address as IPv4", "::ffff:192.0.2.7", "192.0.2.7"],
    ["a mapped proxy as a proxy", "192.0.2.7, ::ffff:10.1.2.3", "192.0.2.7"],
    ["tabs and spaces around", "192.0.2.7 ,\t10.1.2.3\t", "192.0.2.7"],
  ];
  for (const [what, header, address] of read)
    it(`gives ${what}`, () => assert.equal(forwarded(header).address, address));

  const bad: [string, string][] = [
    ["nothing", ""],
    ["garbage to the right", "192.0.2.7, unknown"],
    ["nothing to the right", "192.0.2.7,"],
    ["garbage between the client and a proxy", "192.0.2.7, unknown, 10.1.2.3"],
    ["an octet too large", "192.0.2.256"],
    ["an octet with a leading zero", "192.0.2.07"],
    ["a port too long", "192.0.2.7:123456"],
    ["an open bracket", "[2001:db8::7"],
    ["IPv4 in brackets", "[192.0.2.7]"],
    ["a quoted address, as in Forwarded", '"192.0.2.7"'],
    ["an endless zone", `fe80::1%${"a".repeat(100)}`],
    ["a NUL", "192.0.2.7\u0000"],
    ["nothing but trusted proxies", "10.1.2.3, 10.1.2.4"],
    ["more proxies than there are", `192.0.2.7${", 10.1.2.3".repeat(40)}`],
  ];
  for (const [what, header] of bad)
    it(`with ${what} counts for nothing: it is the peer`, () =>
      assert.equal(forwarded(header).address, proxy));

  it("on several lines is read from the last", async (test) => {
    const server = createServer((incoming, response) => {
      response.end(createClientOf(["127.0.0.1"])(incoming).address);
    });
    const port = await listen(test, server);
    const lines = ["X-Forwarded-For: 198.51.100.1", "x-forwarded-for: 192.0.2.7"];
    const { answers } = await sendRaw(requestText("GET /", lines), { port, expect: 1 });
    assert.equal(answers[0]?.text, "192.0.2.7");
  });

  it("never makes it anything but an address, whatever it holds", () => {
    const piece = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.string({ unit: codePoint }),
      fc.constantFrom(",", " ", "[", "]", ":1", "%", "::", "10.1.2.3", "::ffff:"),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.constantFrom("", ",", ", "), (pieces, separator) => {
        const { address, clientKey: source } = forwarded(pieces.join(separator));
        assert.notEqual(isIP(address), 0, address);
        assert.ok(source === loopbackKey || isIP(source.replace("/64", "")) !== 0, source);
        assert.equal(address.includes("%"), false);
      }),
      { numRuns: 2_000 },
    );
  });

  it("gives the client, whatever it writes before the address that its proxy adds", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.ipV4(), (written, client) => {
        fc.pre(!client.startsWith("10."));
        assert.equal(forwarded(`${written}, ${client}`).address, client);
      }),
    );
  });
});

describe("the scheme of a request", () => {
  const schemeOf = createSchemeOf(trusted);
  const said = (scheme: string) => ({ "x-forwarded-proto": scheme });
  const cases: [string, IncomingMessage, string][] = [
    ["is the connection's own", request("192.0.2.7"), "http"],
    ["is https on TLS", request("192.0.2.7", {}, true), "https"],
    ["is what a trusted proxy says", request(proxy, said("https")), "https"],
    ["is what a trusted proxy says, also downwards", request(proxy, said("http"), true), "http"],
    ["is not what a stranger says", request("192.0.2.7", said("https")), "http"],
    ["is not a word that is no scheme", request(proxy, said("wss")), "http"],
    ["is not a list", request(proxy, said("https, http")), "http"],
    ["is not in capitals", request(proxy, said("HTTPS")), "http"],
    ["is not what X-Forwarded-Ssl says", request(proxy, { "x-forwarded-ssl": "on" }), "http"],
  ];
  for (const [what, incoming, scheme] of cases) it(what, () => assert.equal(schemeOf(incoming), scheme));
});
