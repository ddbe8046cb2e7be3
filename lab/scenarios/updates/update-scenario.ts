import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import type { ReleaseJournal } from "../../../src/releases/release-journal.ts";
import { emptyJournal } from "../../../src/releases/release-journal.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { NewRelease } from "../../machines/host/publisher.ts";
import type { Scenario } from "../../machines/scenario.ts";
import { serverNames, trueServers, untilStatus } from "../clock/clock-scenario.ts";
import { productAddress } from "./demo-product.ts";

type Kind = "rules" | "binary";
type Entry = ReleaseJournal["history"][number];

const port = 8_480;

/** The repository as the machine names it. */
export const repositoryAddress = `http://10.0.2.2:${port}`;

/** The parts of every scenario of updates: time servers and a repository. */
export function updateScenario(product: string): Pick<Scenario, "servers" | "repository"> {
  return { servers: trueServers, repository: { port, product } };
}

/** Files that configure the agent for the update server; `ota` has further settings. */
export function updateSettings(
  ota: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, string>> {
  const update = { ota: { server: repositoryAddress, ...ota } };
  return {
    "/etc/steward/initial-settings.json": JSON.stringify({ time: { servers: serverNames }, update }),
    "/etc/systemd/system/steward.service.d/initial-settings.conf": `[Service]
Environment=STEWARD_INITIAL_SETTINGS=/etc/steward/initial-settings.json
`,
  };
}

/** Asks by which the host publishes these releases, each by the name `publish VERSION`. */
export function publishing(...releases: readonly NewRelease[]): NonNullable<Scenario["asks"]> {
  return {
    "root of trust": ({ publisher }) => publisher.rootOfTrust(),
    ...Object.fromEntries(
      releases.map((release): [string, NonNullable<Scenario["asks"]>[string]] => [
        `publish ${release.kind} ${release.version}`,
        ({ publisher }) => publisher.publish(release),
      ]),
    ),
  };
}

/** Waits until the agent answers and the clock is trusted; then installs and confirms the root of trust. */
export async function trusting(guest: Guest): Promise<void> {
  await guest.stewardAnswers(90);
  await untilStatus(guest, "synchronised", 90, ({ state }) => state === "synchronised");
  const root = String(await guest.ask("root of trust"));
  writeFileSync("/root/root.json", root);
  await guest.types("steward update trust install /root/root.json --yes");
  const { trust } = await guest.until("the agent has it", 30, async () => {
    const status = await guest.api("/api/updates");
    return status.trust?.fingerprint ? status : undefined;
  });
  await guest.api("/api/updates/trust", { fingerprint: trust.fingerprint });
}

/** Has the host publish a release and the agent find it. */
export async function offered(guest: Guest, kind: Kind, version: string): Promise<string> {
  const { id } = (await guest.ask(`publish ${kind} ${version}`)) as { id: string };
  await guest.until(`${kind} ${version} is found`, 90, async () => {
    const { state, available, summary, schedule } = await guest.api("/api/updates");
    if (available[kind]?.version === version || newestOutcome(id) !== undefined) return true;
    if (releaseJournal().slots[kind].trial?.release.id === id) return true;
    // A check that began earlier does not see the new release, and this request would only join it.
    if (state !== "checking") await guest.api("/api/updates/check", {});
    throw new Error(JSON.stringify({ state, summary, available, schedule }));
  });
  return id;
}

/** Has the agent apply what it has found. */
export async function applied(guest: Guest, kind: Kind): Promise<void> {
  await guest.until(`the agent takes the order to apply ${kind}`, 60, async () => {
    const answer = await guest.api("/api/updates/apply", { kind });
    if (answer.code === undefined) return true;
    throw new Error(JSON.stringify(answer));
  });
}

/** The release journal, read past the agent. */
export function releaseJournal(): ReleaseJournal {
  try {
    return JSON.parse(readFileSync("/var/lib/steward-releases/journal.json", "utf8")) as ReleaseJournal;
  } catch {
    return emptyJournal;
  }
}

/** The newest entry of the history about a release. */
export function newestOutcome(id: string): Entry | undefined {
  return releaseJournal().history.findLast(({ release_id }) => release_id === id);
}

/** Waits until the trial of a release has ended, and returns its outcome. */
export function outcomeOf(guest: Guest, id: string, seconds: number): Promise<Entry> {
  return guest.until(`${id} has come to an end`, seconds, () => {
    const entry = newestOutcome(id);
    const { slots } = releaseJournal();
    if (entry && slots.rules.trial === null && slots.binary.trial === null) return entry;
    throw new Error(JSON.stringify(slots));
  });
}

/** Publishes a release, has it applied, and checks how it ends within so many seconds. */
export async function ends(
  guest: Guest,
  kind: Kind,
  version: string,
  outcome: Entry["outcome"],
  seconds = 300,
): Promise<Entry & { id: string }> {
  const id = await offered(guest, kind, version);
  await applied(guest, kind);
  const entry = await outcomeOf(guest, id, seconds);
  const isRestored = outcome !== "failed" || entry.restored_healthy === true;
  guest.check(`${kind} ${version} ends as ${outcome}`, entry.outcome === outcome && isRestored, entry);
  return { ...entry, id };
}

/** Waits until a binary is being confirmed, and so the guard watches it. */
export function confirming(guest: Guest, version: string): Promise<boolean> {
  const phase = () => releaseJournal().slots.binary.trial?.phase === "confirming";
  return guest.until(`${version} is being confirmed`, 120, phase);
}

/** The id of the release that a link leads to; null: it leads nowhere. */
export function linked(kind: Kind, link: "current" | "previous"): string | null {
  try {
    return readlinkSync(`/var/lib/steward-releases/${kind}/${link}`).split("/").at(-1) ?? null;
  } catch {
    return null;
  }
}

/** The version that the product answers with, or the error. */
export async function productSays(): Promise<string> {
  try {
    const response = await fetch(`${productAddress}/health`, { signal: AbortSignal.timeout(5_000) });
    const { version } = (await response.json()) as { version: string };
    return response.ok ? version : `${response.status} ${version}`;
  } catch (error) {
    return String(error);
  }
}

/** Checks that a binary is installed, good by the journal, and the one that answers. */
export async function runs(guest: Guest, { id, version }: { id: string; version: string }): Promise<void> {
  const found = [
    linked("binary", "current"),
    releaseJournal().slots.binary.good.at(-1)?.id,
    await productSays(),
  ];
  guest.check(`${version} is current, good, and what answers`, `${found}` === `${[id, id, version]}`, found);
}
