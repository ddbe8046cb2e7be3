import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TimeServer } from "../../machines/host/time-servers.ts";
import { addUser, password, signIn } from "../people.ts";

/** Three true servers of the host, as the machine names them; each is a server of its own by its address. */
export const trueServers: readonly TimeServer[] = [{ port: 11_123 }, { port: 11_124 }, { port: 11_125 }];
export const serverNames = trueServers.map(({ port }) => `10.0.2.2:${port}`);

/** A device whose battery is empty. */
export const in1970 = "1970-01-02T00:00:00";

/** Files that have the agent begin with these time settings. */
export function timeSettings(time: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const path = "/etc/steward/initial-settings.json";
  return {
    [path]: JSON.stringify({ time }),
    "/etc/systemd/system/steward.service.d/initial-settings.conf": `[Service]\nEnvironment=STEWARD_INITIAL_SETTINGS=${path}\n`,
  };
}

/** /etc/chrony/chrony.conf of the machine for chrony.service: the host's servers on these ports. */
export function chronyConfiguration(...ports: readonly number[]): Readonly<Record<string, string>> {
  const servers = ports.map((port) => `server 10.0.2.2 port ${port} iburst`);
  const rest = ["driftfile /var/lib/chrony/chrony.drift", "makestep 1 3", "rtcsync"];
  return { "/etc/chrony/chrony.conf": `${[...servers, ...rest].join("\n")}\n` };
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

/** Starts the agent where the boot has not, and waits until its time is trusted and what it has found is slewed. */
export async function trusted(guest: Guest): Promise<void> {
  await guest.types("systemctl start --no-block steward");
  await guest.stewardAnswers();
  await untilStatus(guest, "the time is trusted", 180, ({ trust }) => trust === "trusted");
  guest.mark("the time is trusted");
  // Two more exchanges follow the first two, and what they find is slewed.
  await guest.pause(20);
  await residual(guest, "half a minute after the first step");
}

/** A token of an administrator who has just given the password again. */
export async function administrator(guest: Guest): Promise<string> {
  await addUser(guest);
  const token = String((await signIn(guest)).body.access_token);
  const again = await guest.http("/api/auth/reauth", { token, body: { password } });
  if (again.status >= 300) throw new Error(`no step-up: ${JSON.stringify(again.body)}`);
  return token;
}

/** The figures of the clock's error, and of the yardstick's own. */
export async function residual(guest: Guest, name: string): Promise<void> {
  const { medianSeconds, spreadSeconds } = await guest.clock.error(11_123);
  guest.figure(`${name}: median of ten chronyd -Q`, medianSeconds * 1e6, "µs");
  guest.figure(`${name}: spread of the ten`, spreadSeconds * 1e6, "µs");
  const isSmall = Math.abs(medianSeconds) <= 0.0005 + spreadSeconds;
  guest.check(`${name}: within 0.5 ms of chronyd's own spread`, isSmall, medianSeconds);
}
