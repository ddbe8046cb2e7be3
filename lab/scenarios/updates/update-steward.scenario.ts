import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { stewardRelease } from "./steward-release.ts";
import {
  applied,
  linked,
  offered,
  outcomeOf,
  publishing,
  releaseJournal,
  trusting,
  updateScenario,
  updateSettings,
} from "./update-scenario.ts";

/** Steward as its own product, as its package sets it up: no host file. */
export const scenario: TieredScenario = {
  title: "Steward updates itself, and survives a release of itself that does not start",
  tiers: { container: {} },
  timeoutSeconds: 1_200,
  ...updateScenario("steward"),
  files: updateSettings(),
  asks: publishing(
    stewardRelease("0.2.0"),
    stewardRelease("0.3.0", { fault: "exits" }),
    stewardRelease("0.4.0"),
  ),
  boots: [{ run: updating }],
};

async function updating(guest: Guest): Promise<void> {
  await trusting(guest);
  const named = await guest.steward("system", "set", "device.name=edge 7");
  guest.check("a setting is made under the packaged version", named.status === 0, named);
  await good(guest, "0.2.0");
  await guest.steward("system", "set", "device.location=hall 2");
  await bad(guest, "0.3.0", "0.2.0");
  await good(guest, "0.4.0");
  const command = await guest.steward("--version");
  guest.check("the command line is of the same release", command.stdout.includes("0.4.0"), command);
}

async function good(guest: Guest, version: string): Promise<void> {
  const id = await offered(guest, "binary", version);
  await applied(guest, "binary");
  const entry = await outcomeOf(guest, id, 300);
  guest.check(`Steward ${version} is good`, entry.outcome === "good", entry);
  guest.figure("from its beginning to good", Math.round(entry.seconds), "s");
  await answersAs(guest, version);
}

async function bad(guest: Guest, version: string, before: string): Promise<void> {
  const id = await offered(guest, "binary", version);
  const known = versions();
  await applied(guest, "binary");
  await guest.until("it is at work", 120, () => releaseJournal().slots.binary.trial?.phase === "confirming");
  const guard = await guest.property("MainPID", "steward-guard.service");
  const words = readFileSync(`/proc/${guard}/cmdline`, "utf8").replaceAll("\0", " ");
  guest.check(
    "the guard is not of the release that it watches",
    words.includes("/previous/lib/steward/"),
    words,
  );
  const entry = await outcomeOf(guest, id, 400);
  guest.check("a Steward that does not start has failed", entry.outcome === "failed", entry);
  guest.check("for its exits", entry.cause?.code === "unclean_exits", entry);
  guest.check("and the one before is well", entry.restored_healthy === true, entry);
  const last = entry.log.join("\n");
  guest.check("what it said at its end is kept", last.includes("a fault of this release"), entry.log);
  guest.figure("from its beginning to the end of its undoing", Math.round(entry.seconds), "s");
  await answersAs(guest, before);
  guest.check("it is no longer current", linked("binary", "current") !== id);
  const settings = await guest.api("/api/system");
  const device = settings.device ?? settings.settings?.device;
  guest.check(
    "settings are not rolled back",
    device?.location === "hall 2" && device?.name === "edge 7",
    device,
  );
  const now = versions();
  const isBack = Object.entries(known).filter(([name, was]) => (now[name] ?? 0) < was);
  guest.check("nor are the versions of metadata, the agent's and root's", isBack.length === 0, {
    known,
    now,
  });
}

async function answersAs(guest: Guest, version: string): Promise<void> {
  await guest.stewardAnswers(60);
  const { body } = await guest.http("/api/version");
  guest.check(`it is Steward ${version} that answers`, body.version === version, body);
}

/** The versions of the metadata that the agent trusts, and of those that the installer trusts. */
function versions(): Readonly<Record<string, number>> {
  const places = ["/var/lib/steward/updates/metadata", "/var/lib/steward-trust/metadata"];
  const found = places.flatMap((place) =>
    ["root", "timestamp", "snapshot", "targets"].map((role): [string, number] => {
      const path = `${place}/${role}.json`;
      return [
        path,
        (JSON.parse(readFileSync(path, "utf8")) as { signed: { version: number } }).signed.version,
      ];
    }),
  );
  return Object.fromEntries(found);
}
