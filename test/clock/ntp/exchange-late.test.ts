import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encode, ntpTimestamp, type ReplyFields, rightReply } from "../../../lab/host/hostile-time-server.ts";
import { createVirtualTime } from "../../../lab/simulated/virtual-time.ts";
import { createExchange, deadlineSeconds, promptSeconds } from "../../../src/clock/ntp/exchange.ts";
import { sourceWords as german } from "../../../src/contract/words/de/clock.ts";
import { sourceWords } from "../../../src/contract/words/en/clock.ts";
import { common, pivotSeconds } from "../exchanging.ts";

/** Seconds of the way there and back; null: the packet is lost. Fields of the reply differ from a right one's. */
interface Way extends Partial<ReplyFields> {
  readonly there: number;
  readonly back: number;
  /** Seconds for which the server holds the request. */
  readonly held?: number;
}

/** Asks one server in virtual time, by one way after the other; tells each ending and the seconds that it took. */
function asking({ mostDistanceSeconds = 1.5 } = {}) {
  const time = createVirtualTime();
  const wall = () => pivotSeconds + 1_000 + time.now();
  const later = (wait: number, call: () => void) => void time.at(time.now() + wait, call);
  let open = 0;
  let way: Way | null = null;
  const exchange = createExchange({
    ...common,
    mostDistanceSeconds: () => mostDistanceSeconds,
    driver: { read: () => ({ wallSeconds: wall(), monotonicSeconds: time.now() }) },
    timers: time.hostTimers,
    datagrams: {
      connect: async (_, { onPacket }) => {
        let isOpen = true;
        open += 1;
        return {
          send: (request) => {
            if (way === null) return;
            const { there, back, held = 0, ...fields } = way;
            later(there, () => {
              const receive = ntpTimestamp(wall());
              later(held, () => {
                const transmit = ntpTimestamp(wall());
                const reply = encode({ ...rightReply(request), receive, transmit, ...fields });
                later(back, () => isOpen && onPacket(reply, 0));
              });
            });
          },
          close: () => {
            if (isOpen) open -= 1;
            isOpen = false;
          },
        };
      },
    },
  });
  const ask = async (next: Way | null, { isPatient = false, address = "192.0.2.1" } = {}) => {
    way = next;
    const begun = time.now();
    let took = Number.NaN;
    const asked = exchange({ address, port: 123 }, undefined, isPatient).finally(() => {
      took = Math.round((time.now() - begun) * 1e6) / 1e6;
    });
    await time.runUntil(begun + 64);
    assert.equal(open, 0, "a socket is still open");
    const outcome = await asked;
    return { outcome, told: outcome.kind === "silent" ? outcome.reason : outcome.kind, took };
  };
  const told = async (...asked: Parameters<typeof ask>) => {
    const { told, took } = await ask(...asked);
    return [told, took];
  };
  return { ask, told };
}

const over = (seconds: number, fields: Partial<ReplyFields> = {}): Way => ({
  ...{ there: seconds / 2, back: seconds / 2 },
  ...fields,
});

describe("an answer that comes late", () => {
  it("is not waited for at first, and from then on for as long as the server takes", async () => {
    const { told } = asking();
    assert.deepEqual(await told(over(0.7)), ["sample", 0.7], "a satellite's");
    assert.deepEqual(await told(over(1.2)), ["timeout", promptSeconds]);
    assert.deepEqual(await told(over(1.2)), ["sample", 1.2]);
    assert.deepEqual(await told(over(2.6)), ["sample", 2.6]);
  });

  it("holds up no other server, and not this one where it is quick again or gone", async () => {
    const { told } = asking();
    await told(over(1.2));
    assert.deepEqual(await told(null, { address: "192.0.2.2" }), ["timeout", promptSeconds]);
    assert.deepEqual(await told(over(0.1)), ["sample", 0.1]);
    assert.deepEqual(await told(null), ["timeout", promptSeconds], "it was quick");
    await told(over(1.2));
    assert.deepEqual(await told(null), ["timeout", deadlineSeconds], "it was late");
    assert.deepEqual(await told(null), ["timeout", promptSeconds], "it is gone");
  });

  it("is waited for at once by a probe, and not for ever", async () => {
    const { told } = asking();
    assert.deepEqual(await told(over(2.5), { isPatient: true }), ["sample", 2.5]);
    assert.deepEqual(await told(null, { isPatient: true }), ["timeout", deadlineSeconds]);
    assert.deepEqual(await told(over(5.2), { isPatient: true }), ["timeout", deadlineSeconds]);
    assert.deepEqual(await told(over(5.2)), ["timeout", promptSeconds], "it teaches nothing");
  });

  it("counts only if it is an answer: a stranger's makes nobody wait", async () => {
    const { told } = asking();
    await told(over(1.2, { origin: Buffer.alloc(8) }));
    assert.deepEqual(await told(null), ["timeout", promptSeconds]);
    const unsynchronised = await told(over(0.3, { leap: 3 }), { isPatient: true });
    assert.deepEqual(unsynchronised, ["unsynchronised", promptSeconds]);
  });

  it("is as long in the words as in the exchange", () => {
    for (const { reasons } of [sourceWords, german])
      assert.ok(reasons.timeout.includes(`${deadlineSeconds} s`));
  });
});

describe("a time that may err by more than the settings allow", () => {
  const windows = { rootDelaySeconds: 0.03125, rootDispersionSeconds: 10.1875 };
  const delayed = { rootDelaySeconds: 3, rootDispersionSeconds: 0 };
  for (const [name, mostDistanceSeconds, way, expected] of [
    ["a Windows domain controller's", 1.5, over(0.001, windows), "root_distance 10.204 s > 1.5 s"],
    ["one over a root delay of 3 s", 1.5, over(0.1, delayed), "root_distance 1.551 s > 1.5 s"],
    ["one of days", 16, over(0.1, { rootDispersionSeconds: 65_535 }), "root_distance 65535.058 s > 16 s"],
    ["one whose clock ticks every 2 s", 1.5, over(0.1, { precision: 1 }), "root_distance 2.09 s > 1.5 s"],
    ["one that came in 4 s", 1.5, over(4), "root_distance 2.04 s > 1.5 s"],
    ["an exact one, where little is allowed", 0.1, over(0.19), "root_distance 0.135 s > 0.1 s"],
    ["the Windows controller's, where 16 s are allowed", 16, over(0.001, windows), "sample"],
    ["a root delay of 2 s", 1.5, over(0.1, { rootDelaySeconds: 2, rootDispersionSeconds: 0.375 }), "sample"],
    ["one that came in 4 s, where 2.1 s are allowed", 2.1, over(4), "sample"],
  ] as const)
    it(`is used, or not, and the figures are said: ${name}`, async () => {
      const { told } = await asking({ mostDistanceSeconds }).ask(way, { isPatient: true });
      assert.equal(told, expected);
    });
});
