import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { administrator, serverNames, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";

/** People sign in before the clock is right, and stay signed in when it is. */
export const scenario: TieredScenario = {
  title: "a step back of an hour harms no session, and a refused token mends the clock",
  tiers: { vm: {} },
  timeoutSeconds: 400,
  servers: trueServers,
  files: timeSettings({ servers: [] }),
  boots: [{ rtc: 3_600, run: steppedBack }, { run: mendedByToken }],
};

async function steppedBack(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const { token, refreshToken } = await administrator(guest);
  const body = { time: { servers: serverNames } };
  const put = await guest.http("/api/system", { method: "PUT", token, body });
  guest.check("servers are set while it runs", put.status === 200, put.body);
  const status = await untilStatus(guest, "synchronised", 60, ({ state }) => state === "synchronised");
  guest.check("stepped back by the hour", Math.abs(status.last_step.seconds + 3_600) < 5, status.last_step);
  const stale = await guest.http("/api/auth/me", { token });
  guest.check(
    "the access token gets one 401 that says why",
    stale.status === 401 && stale.body.reason === "clock_epoch",
    stale.body,
  );
  const refreshed = await guest.http("/api/auth/refresh", { body: { refresh_token: refreshToken } });
  guest.check("the session goes on", refreshed.status === 200, refreshed.body);
  const me = await guest.http("/api/auth/me", { token: String(refreshed.body.access_token) });
  guest.check("with a new token", me.status === 200, me.body);
}

/** The clock becomes wrong while it is not trusted, and the client holds a token that the clock invalidated. */
async function mendedByToken(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const { token } = await administrator(guest);
  const body = { time: { servers: serverNames, mode: "manual" } };
  await guest.http("/api/system", { method: "PUT", token, body });
  await guest.clock.step(7_200);
  const refused = await guest.http("/api/auth/me", { token });
  guest.check(
    "the token is refused because of the clock",
    refused.status === 401 && refused.body.code === "invalid_token",
    refused.body,
  );
  guest.check(
    "and the answer has the known facts about the clock",
    typeof refused.body.clock?.state === "string",
    refused.body.clock,
  );
  await guest.steward("system", "set", "time.mode=discipline");
  const mended = await guest.http("/api/system/time-sync/sync", { method: "POST", token });
  guest.check("POST sync with that very token mends the clock", mended.status === 200, mended.body);
  const { medianSeconds } = await guest.clock.error(11_123, 3);
  guest.check("the clock is right", Math.abs(medianSeconds) < 0.05, medianSeconds);
  const works = await guest.http("/api/auth/me", { token });
  guest.check("and the token works", works.status === 200, works.body);
}
