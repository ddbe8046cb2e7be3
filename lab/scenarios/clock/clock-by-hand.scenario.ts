import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { administrator, clockStatus, in1970, timeSettings } from "./clock-scenario.ts";

/** No network card at all, and an empty battery: only people know the time. */
export const scenario: TieredScenario = {
  title: "without a network and in 1970, root and the console's route bring the clock to life",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  files: timeSettings({ servers: ["10.0.2.2:11123"] }),
  boots: [
    { network: false, rtc: in1970, run: byRoot },
    { network: false, rtc: in1970, run: byRoute },
    { network: false, rtc: in1970, run: withoutAgent },
  ],
};

/** Waits until the clock is at the floor, and returns a time that is after the build and before its end of life, whenever this runs. */
async function atFloor(guest: Guest): Promise<string> {
  await guest.stewardAnswers();
  const status = await guest.until("the clock is at the floor", 30, async () => {
    const present = await clockStatus(guest);
    return Date.now() >= Date.parse(present.floor_at) - 1_000 && present;
  });
  guest.check("it is not trusted", status.trust === "none", status);
  return new Date(Date.parse(status.floor_at) + 30 * 86_400_000).toISOString();
}

function isSet(guest: Guest, wanted: string): void {
  const lateSeconds = (Date.now() - Date.parse(wanted)) / 1_000;
  guest.check("the machine's clock is that", lateSeconds >= 0 && lateSeconds < 30, lateSeconds);
}

async function byRoot(guest: Guest): Promise<void> {
  const time = await atFloor(guest);
  await guest.types("steward time set yesterday --yes", { status: "fails" });
  await guest.types("steward time set 2001-01-01T00:00:00Z --yes", { status: 6 });
  await guest.types(`steward time set ${time} --yes`);
  isSet(guest, time);
  const { trust, state } = await clockStatus(guest);
  guest.check("accepted, set by hand", trust === "accepted" && state === "manual", [trust, state]);
}

async function byRoute(guest: Guest): Promise<void> {
  const time = await atFloor(guest);
  const token = await administrator(guest);
  const answer = await guest.http("/api/system/time-sync/sync", { token, body: { time } });
  guest.check("POST sync with the time", answer.status === 200, answer.body);
  isSet(guest, time);
  const next = await guest.http("/api/system/time-sync", { token });
  guest.check("the token goes on for the clock's routes", next.status === 200, next.body);
}

async function withoutAgent(guest: Guest): Promise<void> {
  const time = await atFloor(guest);
  await guest.types(`systemctl stop steward; steward time set ${time} --yes`);
  isSet(guest, time);
  await guest.types('[ -z "$(find /var/lib/steward ! -user steward)" ]', { what: "no file changed hands" });
  await guest.types("systemctl start steward");
  await guest.stewardAnswers();
}
