import { useEffect } from "preact/hooks";
import type { ConsoleGreeting } from "../../contract/types.ts";
import { createStore, useStore } from "../store.ts";
import { textOf } from "./body.ts";
import { deviceTimeSaid } from "./device-time.ts";
import { accentSaid, markSaid } from "./face.ts";
import { isAgents } from "./problem.ts";

/** Seconds between two looks whether the agent is back: soon at first, then seldom enough for a device that is starting. */
const waitsSeconds = [0.5, 1, 2, 3, 5];

/** Milliseconds for one of these looks. */
const patienceMilliseconds = 5_000;

/** Milliseconds without an answer before it is said: a quick restart passes unseen. */
const unseenMilliseconds = 1_000;

export const isConnected = createStore(true);

/** True: it has been silent for so long that the page says so and sends it nothing. */
export const isAway = createStore(false);

/** True: something in between answers in its place. */
export const isForeign = createStore(false);

/** When the agent answered last, milliseconds since 1970 by this browser's clock. */
export let heardAt = Date.now();

/** It has answered just now. */
export function heard(): void {
  heardAt = Date.now();
}

/** Its last answer to a stranger's greeting; null: it was not greeted yet. */
export const greeting = createStore<ConsoleGreeting | null>(null);

/** The device's name and the version that it runs; null: not known yet. */
export const device = createStore<{ readonly name: string; readonly version: string } | null>(null);

/** True: the agent is another version than at first, so the files of this page may be gone. */
export const isOutdated = createStore(false);

let firstVersion: string | null = null;

/** As the greeting says it, and the status to those who are signed in. */
export function deviceSaid({
  device_name,
  version,
  accent,
}: Pick<ConsoleGreeting, "device_name" | "version"> & { readonly accent?: string | undefined }): void {
  firstVersion ??= version;
  isOutdated.set(version !== firstVersion);
  device.set({ name: device_name, version });
  if (accent !== undefined) accentSaid(accent);
}

let returning: Promise<void> | null = null;

/** Settles when the agent answers; it does so already unless `lost` was said. */
export function connected(): Promise<void> {
  return returning ?? Promise.resolve();
}

/** The agent did not answer: from now on it is looked for until it does. */
export function lost(): Promise<void> {
  returning ??= untilReturned();
  return returning;
}

/** Asks the agent how it greets a stranger; false: it does not answer. */
export async function greet(): Promise<boolean> {
  // Only the request and its answer are caught: a fault of this page is no silence of the device.
  const said = await fetch("/api/console", {
    cache: "no-store",
    redirect: "manual",
    signal: AbortSignal.timeout(patienceMilliseconds),
  })
    .then(async (response) => {
      isForeign.set(!isAgents(response));
      return response.ok && isAgents(response)
        ? (JSON.parse(await textOf(response)) as ConsoleGreeting)
        : null;
    })
    .catch(() => null);
  if (said === null) return false;
  heard();
  deviceTimeSaid(said.server_time);
  deviceSaid(said);
  markSaid(said.maker?.mark ?? false);
  greeting.set(said);
  return true;
}

/** The last greeting. A page whose session went on has none yet, and asks for it. */
export function useGreeting(): ConsoleGreeting | null {
  const said = useStore(greeting);
  useEffect(() => {
    if (said === null) void greet();
  }, []);
  return said;
}

async function untilReturned(): Promise<void> {
  const saying = setTimeout(() => isAway.set(true), unseenMilliseconds);
  for (let tries = 0; !(await greet()); tries += 1) {
    isConnected.set(false);
    const seconds = waitsSeconds[Math.min(tries, waitsSeconds.length - 1)] ?? 1;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  }
  clearTimeout(saying);
  returning = null;
  isConnected.set(true);
  isAway.set(false);
}
