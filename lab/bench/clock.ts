import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { createExchange } from "../../src/clock/ntp/exchange.ts";
import { createDatagrams } from "../../src/host/linux/network/datagrams.ts";
import { median, quantile } from "../basics/quantile.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { chronyProgram, startChronyd } from "../host/chronyd.ts";
import { clockAddon, hostClock } from "../host/host-clock.ts";
import { realTimers } from "../host/timers.ts";
import { type Row, valueRow } from "./row.ts";

const exchanges = 200;
/** These come first and do not count, as with every other row. */
const warmUps = 20;
/** Each takes 0.2 s. */
const peerRuns = 20;

/** Microseconds; docs/performance.md. */
const bounds = { median: 20, p95: 100 };

/**
 * The errors of single measurements of this machine's own clock, against a server that has the same clock, so that
 * the truth is 0: our exchange beside `chronyd -Q`, both with the kernel's time of arrival. Nothing sets the clock.
 */
export async function clockRows(): Promise<Row[]> {
  const server = await startChronyd();
  try {
    const rows: Row[] = [];
    for (const address of ["127.0.0.1", "::1"]) {
      const [own, peer] = [await ownErrors(address, server.port), await peerErrors(address, server.port)];
      const of = (figure: (errors: number[]) => number) => [figure(own), figure(peer)] as const;
      const p95 = of((errors) => quantile(errors, 0.95));
      rows.push(
        valueRow(`clock error on ${address}, median / chronyd -Q`, "µs", of(median), bounds.median),
        valueRow("the same, 95th percentile", "µs", p95, bounds.p95),
      );
    }
    return rows;
  } finally {
    await server.stop();
  }
}

/** Microseconds. */
async function ownErrors(address: string, port: number): Promise<number[]> {
  const exchange = createExchange({
    driver: hostClock,
    datagrams: createDatagrams(clockAddon),
    timers: realTimers,
    pivotSeconds: Date.now() / 1_000,
    mostDistanceSeconds: () => 1.5,
    randomNonce: () => randomBytes(8),
  });
  const errors: number[] = [];
  for (let turn = -warmUps; turn < exchanges; turn += 1) {
    const outcome = await exchange({ address, port });
    if (outcome.kind !== "sample") throw new Error(`an exchange was no sample: ${JSON.stringify(outcome)}`);
    if (turn >= 0) errors.push(Math.abs(outcome.sample.offsetSeconds) * 1e6);
  }
  return errors;
}

/** Microseconds; chronyd prints whole ones. */
async function peerErrors(address: string, port: number): Promise<number[]> {
  const errors: number[] = [];
  // -Q and -x: it measures, prints and ends. One sample, as one exchange of ours is one.
  const server = `server ${address} port ${port} iburst maxsamples 1`;
  const place = ["cmdport 0", "bindcmdaddress /", `pidfile ${scratchDirectory()}/chronyd.pid`, "user root"];
  const words = ["-Q", "-x", "-U", "-t", "10", server, ...place];
  for (let run = 0; run < peerRuns; run += 1) {
    const { stderr } = await promisify(execFile)(chronyProgram("chronyd"), words, { timeout: 20_000 });
    const seconds = /System clock wrong by (-?[0-9.]+) seconds/.exec(stderr)?.[1];
    if (seconds === undefined) throw new Error(`chronyd -Q said nothing of the clock: ${stderr}`);
    errors.push(Math.abs(Number(seconds)) * 1e6);
  }
  return errors;
}
