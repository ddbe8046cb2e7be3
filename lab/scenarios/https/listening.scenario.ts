import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";

const socket = "/run/steward/steward.sock";

/** A program of an ordinary user that listens at the agent's port and says nothing. */
const squatter = [
  "use IO::Socket::INET;",
  'my $port = IO::Socket::INET->new(LocalAddr => "127.0.0.1:8470", Listen => 5, ReuseAddr => 1) or die $!;',
  "sleep;",
].join(" ");

/** Any user of the device can take the port, and any script of root's can sweep /run. */
export const scenario: TieredScenario = {
  title: "port 8470 taken, and /run/steward removed: the agent serves, says so, and listens again",
  tiers: { container: {} },
  timeoutSeconds: 400,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await portTaken(guest);
        await directoryRemoved(guest);
      },
    },
  ],
};

/** Over the socket, as every command on the device asks. */
async function needs(guest: Guest): Promise<readonly { code: string; facts: Record<string, unknown> }[]> {
  const ran = await guest.run("curl", [
    ...["--silent", "--fail", "--max-time", "5", "--unix-socket", socket, "http://localhost/api/status"],
  ]);
  if (ran.status !== 0) throw new Error(ran.stderr);
  return (JSON.parse(ran.stdout) as { needs: { code: string; facts: Record<string, unknown> }[] }).needs;
}

async function portTaken(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["stop", "steward.service"]);
  const squat = ["--uid=nobody", "--unit=squatter", "perl", "-e", squatter];
  const taken = await guest.run("systemd-run", squat);
  await guest.until("an ordinary user has the port", 20, async () =>
    (await guest.run("ss", ["-ltnH", "sport = :8470"])).stdout.includes("8470"),
  );
  const started = await guest.run("systemctl", ["start", "steward.service"]);
  guest.check("the agent starts all the same", taken.status === 0 && started.status === 0, started);
  const found = await guest.until("it answers over its socket", 30, () => needs(guest));
  const need = found.find(({ code }) => code === "listening");
  guest.check("and says who cannot reach it", need?.facts.reason === "port_unavailable", found);
  const enabled = await guest.steward("tls", "enable");
  const lan = await guest.run("curl", ["--silent", "--insecure", "https://10.0.2.15:8443/api/version"]);
  guest.check("and serves HTTPS", enabled.status === 0 && lan.stdout.includes('"steward"'), [enabled, lan]);
  const before = await guest.property("MainPID");
  await guest.run("systemctl", ["stop", "squatter.service"]);
  await guest.stewardAnswers(90);
  const isSame = (await guest.property("MainPID")) === before;
  const left = (await needs(guest)).filter(({ code }) => code === "listening");
  guest.check("a minute after the port is free it is listened at", isSame && left.length === 0, left);
}

async function directoryRemoved(guest: Guest): Promise<void> {
  const removed = await guest.run("rm", ["-r", "/run/steward"]);
  const silent = await guest.steward("status");
  guest.check("no command reaches it", removed.status === 0 && silent.status !== 0, [removed, silent]);
  await guest.until("a minute later one does", 120, async () => (await needs(guest)).length >= 0);
  const said = await guest.steward("status");
  // Its exit code says that the device needs a person: it has no administrator yet.
  guest.check("and the command line as well", said.stdout.includes("setup required"), said);
}
