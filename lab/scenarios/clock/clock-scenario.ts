import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TimeServer } from "../../machines/host/time-servers.ts";
import { addUser, password, signIn } from "../people.ts";

/** Three true servers of the host, as the machine names them; each is a server of its own by its address. */
export const trueServers: readonly TimeServer[] = [{ port: 11_123 }, { port: 11_124 }, { port: 11_125 }];
export const serverNames = trueServers.map(({ port }) => `10.0.2.2:${port}`);

/** Files that have the agent begin with these time settings. */
export function timeSettings(time: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return {
    "/etc/steward/initial-settings.json": JSON.stringify({ time }),
    "/etc/systemd/system/steward.service.d/initial-settings.conf": `[Service]
Environment=STEWARD_INITIAL_SETTINGS=/etc/steward/initial-settings.json
`,
  };
}

/** The agent's status of its clock. */
export const clockStatus = (guest: Guest) => guest.api("/api/system/time-sync");

/** Waits until the status is so, and returns it. */
export function untilStatus(
  guest: Guest,
  what: string,
  seconds: number,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  isSo: (status: any) => boolean,
) {
  return guest.until(what, seconds, async () => {
    const status = await clockStatus(guest);
    if (isSo(status)) return status;
    // `until` says this when it gives up.
    throw new Error(JSON.stringify(status));
  });
}

/** A token of an administrator who has just given the password again. */
export async function administrator(guest: Guest): Promise<{ token: string; refreshToken: string }> {
  await addUser(guest);
  const login = await signIn(guest);
  const token = String(login.body.access_token);
  const again = await guest.http("/api/auth/reauth", { token, body: { password } });
  if (again.status >= 300) throw new Error(`no step-up: ${JSON.stringify(again.body)}`);
  return { token, refreshToken: String(login.body.refresh_token) };
}

/** The figures of the clock's error, and of the yardstick's own. */
export async function residual(guest: Guest, name: string): Promise<number> {
  const { medianSeconds, spreadSeconds } = await guest.clock.error(11_123);
  guest.figure(`${name}: median of ten chronyd -Q`, Math.round(medianSeconds * 1e6), "µs");
  guest.figure(`${name}: spread of the ten`, Math.round(spreadSeconds * 1e6), "µs");
  guest.check(
    `${name}: within 0.5 ms of chronyd's own spread`,
    Math.abs(medianSeconds) <= 0.0005 + spreadSeconds,
  );
  return medianSeconds;
}
