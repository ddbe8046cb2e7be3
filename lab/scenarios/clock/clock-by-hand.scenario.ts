import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { administrator, clockStatus, timeSettings } from "./clock-scenario.ts";

/** No network card at all, and an empty battery: only people know the time. */
export const scenario: TieredScenario = {
  title: "without a network and in 1970, root and the console's route bring the clock to life",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  files: timeSettings({ servers: ["10.0.2.2:11123"] }),
  boots: [
    { network: false, rtc: "1970-01-02T00:00:00", run: byRoot },
    { network: false, rtc: "1970-01-02T00:00:00", run: byRoute },
    { network: false, rtc: "1970-01-02T00:00:00", run: withoutAgent },
  ],
};

/** A minute that is after the build and before its end of life, whenever this runs. */
async function aRightTime(guest: Guest): Promise<Date> {
  const { floor_at } = await clockStatus(guest);
  return new Date(Date.parse(floor_at) + 30 * 86_400_000);
}

async function atFloor(guest: Guest): Promise<Date> {
  await guest.stewardAnswers();
  const status = await guest.until("the clock is at the floor", 30, async () => {
    const present = await clockStatus(guest);
    return Date.now() >= Date.parse(present.floor_at) - 1_000 ? present : undefined;
  });
  guest.check("it is not trusted", status.trust === "none", status);
  return aRightTime(guest);
}

async function expectTime(guest: Guest, wanted: Date, how: string): Promise<void> {
  const lateSeconds = (Date.now() - wanted.getTime()) / 1_000;
  guest.check(`${how}: the machine's clock is that`, lateSeconds >= 0 && lateSeconds < 30, lateSeconds);
}

async function byRoot(guest: Guest): Promise<void> {
  const time = await atFloor(guest);
  const wrong = await guest.steward("time", "set", "yesterday", "--yes");
  guest.check("a time that is none is refused as input", wrong.status === 6 || wrong.status === 2, wrong);
  const past = await guest.steward("time", "set", "2001-01-01T00:00:00Z", "--yes");
  guest.check("a past one is refused", past.status === 6, past);
  const set = await guest.steward("time", "set", time.toISOString(), "--yes");
  guest.check("steward time set", set.status === 0, set);
  await expectTime(guest, time, "steward time set");
  const status = await clockStatus(guest);
  guest.check("accepted, set by hand", status.trust === "accepted" && status.state === "manual", status);
}

async function byRoute(guest: Guest): Promise<void> {
  const time = await atFloor(guest);
  const { token } = await administrator(guest);
  const answer = await guest.http("/api/system/time-sync/sync", {
    token,
    body: { time: time.toISOString() },
  });
  guest.check("POST sync with the time", answer.status === 200, answer.body);
  await expectTime(guest, time, "POST sync");
  const next = await guest.http("/api/system/time-sync", { token });
  guest.check("the token goes on for the clock's routes", next.status === 200, next.body);
}

async function withoutAgent(guest: Guest): Promise<void> {
  const time = await atFloor(guest);
  await guest.run("systemctl", ["stop", "steward.service"]);
  const set = await guest.steward("time", "set", time.toISOString(), "--yes");
  guest.check("steward time set with the agent down", set.status === 0, set);
  await expectTime(guest, time, "with the agent down");
  const { stdout } = await guest.run("find", ["/var/lib/steward", "!", "-user", "steward"]);
  guest.check("no file of the state changed hands", stdout.trim() === "", stdout);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers();
}
