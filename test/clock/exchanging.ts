import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { afterEach } from "node:test";
import { clockAddon, hostClock } from "../../lab/host/host-clock.ts";
import { type Asked, type HostileServer, startHostileServer } from "../../lab/host/hostile-time-server.ts";
import { patientTimers } from "../../lab/host/timers.ts";
import { createExchange } from "../../src/clock/ntp/exchange.ts";
import type { ExchangeOutcome, Sample } from "../../src/clock/ntp/sample.ts";
import { createDatagrams } from "../../src/host/linux/network/datagrams.ts";
import type { Datagrams } from "../../src/host/ports.ts";

export const driver = hostClock;

/** 2026-11-01. */
export const pivotSeconds = 1_793_491_200;

/** Sockets that are open now, so that none is lost. */
export let openSockets = 0;

export const countedDatagrams: Datagrams = {
  connect: async (address, handlers) => {
    const connection = await createDatagrams(clockAddon).connect(address, handlers);
    openSockets += 1;
    let isOpen = true;
    return {
      send: (packet) => connection.send(packet),
      close: () => {
        if (isOpen) openSockets -= 1;
        isOpen = false;
        connection.close();
      },
    };
  },
};

export const common = {
  driver,
  datagrams: countedDatagrams,
  pivotSeconds,
  mostDistanceSeconds: () => 1.5,
  randomNonce: () => randomBytes(8),
};
export const exchange = createExchange({ ...common, timers: patientTimers });

let running: { close: () => Promise<void> }[] = [];

export async function serve(
  answer: (asked: Asked) => Promise<void> | void,
  address?: string,
): Promise<HostileServer> {
  const server = await startHostileServer(answer, address);
  running.push(server);
  return server;
}

/** Registers, for each test of a file, the end of its servers and the count of its sockets. */
export function endServersAfterEach(): void {
  afterEach(async () => {
    const servers = running;
    running = [];
    await Promise.all(servers.map((server) => server.close()));
    assert.equal(openSockets, 0, "a socket of an exchange is still open");
  });
}

export function sampleIn(outcome: ExchangeOutcome): Sample {
  assert.ok(outcome.kind === "sample", `not a sample: ${JSON.stringify(outcome)}`);
  return outcome.sample;
}

/**
 * Both ends read one machine's clock, this one to a microsecond and the responders to a millisecond. Whatever held the
 * packets up shows in the delay, and errs by half of it at the most (RFC 5905 §8).
 */
export function assertOffset({ offsetSeconds, delaySeconds }: Sample, expectedSeconds = 0): void {
  const error = Math.abs(offsetSeconds - expectedSeconds);
  assert.ok(
    error <= delaySeconds / 2 + 0.003,
    `an offset of ${offsetSeconds} s, not ${expectedSeconds} s, at a delay of ${delaySeconds} s`,
  );
}
