import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { describe, it } from "node:test";
import { createResolveHost } from "../../../src/host/linux/network/resolve-host.ts";

/** A resolver that answers when the test says so. */
function heldResolver() {
  const asked: string[] = [];
  const answers: ((found: readonly LookupAddress[]) => void)[] = [];
  const lookUp = (host: string): Promise<readonly LookupAddress[]> => {
    asked.push(host);
    return new Promise((resolve) => answers.push(resolve));
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { asked, lookUp, turn, answer: (...found: string[]) => answers.shift()?.(found.map(ofFour)) };
}

function ofFour(address: string): LookupAddress {
  return { address, family: 4 };
}

describe("the addresses of a host", () => {
  it("that is a literal are that, at once and without a look-up", async () => {
    const held = heldResolver();
    const resolve = createResolveHost(held.lookUp);
    const stuck = resolve("stuck.example");
    for (const literal of ["127.0.0.1", "192.0.2.7", "::1", "2001:db8::7", "fe80::1%lo"])
      assert.deepEqual(await resolve(literal), [literal]);
    await held.turn();
    assert.deepEqual(held.asked, ["stuck.example"]);
    held.answer("192.0.2.1");
    assert.deepEqual(await stuck, ["192.0.2.1"]);
  });

  it("that cannot exist are refused in bounded time, whether a resolver is there or not", async () => {
    const begun = process.hrtime.bigint();
    // RFC 6761 §6.4: nothing ever resolves under .invalid.
    await assert.rejects(createResolveHost(undefined, 1)("ntp.invalid"), ({ code }: { code: string }) =>
      /^(ENOTFOUND|EAI_AGAIN|ETIMEOUT)$/.test(code),
    );
    const seconds = Number(process.hrtime.bigint() - begun) / 1e9;
    assert.ok(seconds < 3, `after ${seconds} s`);
  });

  // The resolver's addresses and those that are given, each by family and last number; eight at most, each once.
  for (const [name, found, expected] of [
    ["one family", "4:9 4:1 4:9 4:2 4:3 4:4 4:5 4:6 4:7 4:8", "4:9 4:1 4:2 4:3 4:4 4:5 4:6 4:7"],
    ["six first", "6:1 6:2 6:3 4:1 4:2", "6:1 4:1 6:2 4:2 6:3"],
    ["four first", "4:1 4:2 4:3 6:1", "4:1 6:1 4:2 4:3"],
    ["too many of one", "6:1 6:2 6:3 6:4 6:5 6:6 6:7 6:8 6:9 4:1", "6:1 4:1 6:2 6:3 6:4 6:5 6:6 6:7"],
  ] as const)
    it(`take turns by family where the resolver has ${name} (a family that leads nowhere)`, async () => {
      const held = heldResolver();
      const addresses = createResolveHost(held.lookUp)("dual.example");
      await held.turn();
      const long = (short: string) => `${short[0] === "6" ? "2001:db8::" : "192.0.2."}${short.slice(2)}`;
      held.answer(...found.split(" ").map(long));
      assert.deepEqual(await addresses, expected.split(" ").map(long));
    });

  it("of which there are none are refused", async () => {
    const held = heldResolver();
    const addresses = createResolveHost(held.lookUp)("none.example");
    await held.turn();
    held.answer();
    await assert.rejects(addresses, { code: "ENOTFOUND" });
  });
});

describe("a look-up", () => {
  it("is never made beside another one", async () => {
    const held = heldResolver();
    const resolve = createResolveHost(held.lookUp);
    const all = Promise.all(["a.example", "b.example", "c.example"].map((host) => resolve(host)));
    const seen: string[][] = [];
    for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      await held.turn();
      seen.push([...held.asked]);
      held.answer(address);
    }
    const found = seen.map((asked) => asked.length);
    assert.deepEqual(found, [1, 2, 3]);
    assert.deepEqual(await all, [["192.0.2.1"], ["192.0.2.2"], ["192.0.2.3"]]);
  });

  it("that hangs keeps its place, and those who wait behind it give up without one of their own", async () => {
    const held = heldResolver();
    const resolve = createResolveHost(held.lookUp, 0.05);
    const results = await Promise.allSettled([resolve("hangs.example"), resolve("waits.example")]);
    for (const result of results)
      assert.equal(result.status === "rejected" && result.reason.code, "ETIMEOUT");
    assert.deepEqual(held.asked, ["hangs.example"]);
    const after = resolve("after.example");
    held.answer("192.0.2.1");
    await held.turn();
    held.answer("192.0.2.3");
    assert.deepEqual(await after, ["192.0.2.3"]);
    assert.deepEqual(held.asked, ["hangs.example", "after.example"]);
  });

  it("that fails leaves the next one its turn", async () => {
    let calls = 0;
    const resolve = createResolveHost(async () => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error("no resolver"), { code: "EAI_AGAIN" });
      return [ofFour("192.0.2.5")];
    });
    await assert.rejects(resolve("a.example"), { code: "EAI_AGAIN" });
    assert.deepEqual(await resolve("a.example"), ["192.0.2.5"]);
  });
});
