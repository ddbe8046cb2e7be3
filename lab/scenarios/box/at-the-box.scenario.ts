import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, password, signIn } from "../people.ts";

const user = "anna";

/** A person, or a script of theirs, types commands at the box: beside restarts, without a terminal, and when a login fails. */
export const scenario: TieredScenario = {
  title: "at the box: commands wait for a restart and for each other, ask first, and say why a login fails",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await addUser(guest);
        await started(guest);
        await races(guest);
        await confirmations(guest);
        await failingLogin(guest);
      },
    },
  ],
};

/** A shell's line; what it adds are users of these names, each with the password on its own standard input. */
const line = (guest: Guest, script: string): Promise<Ran> =>
  guest.run("sh", [
    "-c",
    `add() { echo '${password}' | steward user add "$1" --role readonly --password-stdin; }\n${script}`,
  ]);

async function userNames(guest: Guest): Promise<string[]> {
  const { stdout } = await guest.steward("-o", "json", "user", "list");
  return (JSON.parse(stdout) as { items: { username: string }[] }).items.map(({ username }) => username);
}

/** systemd calls the agent started when it answers, not before. */
async function started(guest: Guest): Promise<void> {
  const curl = "curl --silent --unix-socket /run/steward/steward.sock http://localhost/api/health/ready";
  const ran = await line(guest, `systemctl restart steward.service && ${curl}`);
  guest.check("when systemctl restart is back, the agent answers at once", ran.status === 0, ran);
}

async function races(guest: Guest): Promise<void> {
  for (let round = 1; round <= 4; round += 1) {
    const ran = await line(guest, `systemctl restart steward; add restarted-${round}`);
    guest.check(`systemctl restart steward; steward user add …: ${round} of 4`, ran.status === 0, ran);
  }
  for (let round = 1; round <= 4; round += 1) {
    const ran = await line(guest, `systemctl --no-block restart steward; add beside-${round}`);
    guest.check(`steward user add in the midst of a restart: ${round} of 4`, ran.status === 0, ran);
  }
  await guest.stewardAnswers();
  await guest.run("systemctl", ["stop", "steward.service"]);
  const both = await line(guest, "add offline-1 & one=$!; add offline-2; two=$?; wait $one && exit $two");
  guest.check("two commands at once with the agent down wait for each other", both.status === 0, both);
  await guest.run("systemctl", ["start", "steward.service"]);
  const names = await userNames(guest);
  const wanted = [1, 2, 3, 4].flatMap((round) => [`restarted-${round}`, `beside-${round}`]);
  const missing = [...wanted, "offline-1", "offline-2"].filter((name) => !names.includes(name));
  guest.check("each of these ten users is there", missing.length === 0, { missing, names });
}

/** In a script, without a terminal to ask on. */
async function confirmations(guest: Guest): Promise<void> {
  await line(guest, `add ${user}; add bert`);
  const token = ["token", "add", "--user", user, "--name", "script", "--scope", "system:read"];
  const input = `${password}\n`;
  const made = await guest.run("steward", ["-o", "json", ...token, "--password-stdin"], { input });
  if (made.status !== 0) throw new Error(made.stderr);
  const { id } = JSON.parse(made.stdout) as { id: string };
  const commands = [
    ["user", "rm", "bert"],
    ["user", "rescue", user],
    ["user", "sessions", "revoke", user],
    ["token", "rm", id],
  ];
  const before = await guest.steward("user", "list");
  for (const command of commands) {
    const ran = await guest.steward(...command);
    const isAsked = ran.status === 2 && ran.stderr.includes("--yes");
    guest.check(`steward ${command.join(" ").replace(id, "ID")} asks for --yes`, isAsked, ran);
  }
  const rescue = await guest.steward("user", "rescue", user, "--dry-run");
  guest.check("a rescue with --dry-run says what it would do", rescue.status === 0, rescue);
  const after = await guest.steward("user", "list");
  guest.check("nothing has changed by all that", before.stdout === after.stdout, [before, after]);
  const done = await guest.steward("user", "rm", "bert", "--yes");
  const isGone = !(await userNames(guest)).includes("bert");
  guest.check("with --yes it is done", done.status === 0 && isGone, done);
}

/** Puzzle: a login fails. One command has the answer, and one more mends it. */
async function failingLogin(guest: Guest): Promise<void> {
  for (let tries = 0; tries < 6; tries += 1) await signIn(guest, user, { password: "not the password" });
  const locked = await signIn(guest, user);
  guest.check(
    "after six wrong passwords the right one is refused as well",
    locked.status === 429,
    locked.body,
  );
  const said = await guest.steward("user", "diagnose", user);
  guest.check("steward user diagnose says why", /lock/i.test(said.stdout), said);
  guest.note(said.stdout.trim().replaceAll("\n", " | "));
  const mended = await guest.steward("user", "unlock", user);
  const session = await signIn(guest, user);
  guest.check(
    "and steward user unlock mends it",
    mended.status === 0 && session.status === 200,
    session.body,
  );
}
