import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { selfSigned } from "../../lab/host/certificates.ts";
import { judgeDates, missingNames, readAnswer, subjectOf } from "../../src/certificates/answer.ts";

const isAuthority = ["basicConstraints=critical,CA:true"];
const root = selfSigned(scratchDirectory(), { name: "Works", extensions: isAuthority });
const between = root.issue({ name: "Works 2", extensions: isAuthority });
const names = "subjectAltName=DNS:edge-7.example.net,IP:192.0.2.7";
const validity = { from: "20260101000000Z", until: "20270101000000Z" };
const device = between.issue({ name: "edge-7", extensions: [names], validity });
const chain = () => readAnswer(device.cert + between.cert, device.key);

describe("the answer of an authority", () => {
  const subjectsOf = (...pems: string[]) => readAnswer(pems.join("\n"), device.key).map(subjectOf);
  for (const [what, pems] of [
    ["in its order", [device.cert, between.cert]],
    ["turned around, with the authority's own", [root.cert, between.cert, device.cert]],
    ["with a stranger's beside it", [root.issue({ name: "other" }).cert, device.cert, between.cert]],
    ["at its most, 16 certificates", [device.cert, ...Array(15).fill(between.cert)]],
  ] as const)
    it(`${what} is the device's certificate and those that lead to the authority's`, () =>
      assert.deepEqual(subjectsOf(...pems), ["CN=edge-7", "CN=Works 2"]));

  for (const [what, text, why] of [
    ["for another key", between.cert, /for another key than the request .*\(it has: CN=Works 2\)/],
    ["that is a request", "-----BEGIN NEW CERTIFICATE REQUEST-----", /is a request, not an answer/],
    ["in PKCS #7", "-----BEGIN PKCS7-----", /openssl pkcs7 -print_certs/],
    ["in DER", "0\u0082", /openssl x509 -inform der/],
    ["of 17 certificates", device.cert.repeat(17), /has 17 certificates, more than 16/],
    ["that is damaged", device.cert.replace(/MII/, "AAA"), /One of its certificates is damaged/],
  ] as const)
    it(`${what} is refused, and what to do is said`, () =>
      assert.throws(() => readAnswer(text, device.key), why));
});

describe("the dates of an answer", () => {
  const at = (text: string) => new Date(text);
  for (const [what, passed, now, why] of [
    ["in the last second of its time", "2027-01-01T00:00:00Z", null, null],
    ["a second later", "2027-01-01T00:00:01Z", null, /^.*CN=edge-7 expired at 2027-01-01T00:00:00\.000Z/],
    ["in its first second", "2020-01-01T00:00:00Z", "2026-01-01T00:00:00Z", null],
    ["a second before", "2020-01-01T00:00:00Z", "2025-12-31T23:59:59Z", /is valid from 2026-01-01T00:00:00/],
    ["without a trusted time", "2020-01-01T00:00:00Z", null, null],
  ] as const)
    it(`${what}: ${why === null ? "taken" : "refused"}`, () => {
      const judge = () => judgeDates(chain(), { passed: at(passed), now: now === null ? null : at(now) });
      if (why === null) judge();
      else assert.throws(judge, why);
    });
});

describe("the names of an answer", () => {
  for (const [wanted, missing] of [
    [["edge-7.example.net", "192.0.2.7"], []],
    [
      ["edge-7.example.net", "edge-7.local", "192.0.2.8"],
      ["edge-7.local", "192.0.2.8"],
    ],
  ] as const)
    it(`lack ${missing.join(" and ") || "none"} of ${wanted.join(", ")}`, () =>
      assert.deepEqual(missingNames(chain()[0], wanted), missing));

  it("are refused where none is the device's, also that of the subject, which browsers ignore", () => {
    const plain = between.issue({ name: "edge-7.local" });
    for (const [certificate, has] of [
      [device, /it has DNS:edge-7\.example\.net/],
      [plain, /it has no name, only a subject/],
    ] as const)
      assert.throws(
        () => missingNames(readAnswer(certificate.cert, certificate.key)[0], ["edge-7.local"]),
        has,
      );
  });
});
