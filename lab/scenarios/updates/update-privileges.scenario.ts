import { readFileSync } from "node:fs";
import { askerFiles, askRoot } from "../../machines/guest/root-helper.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { PublishedRelease } from "../../machines/host/publisher.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "./demo-product.ts";
import {
  linked,
  publishing,
  releaseJournal,
  repositoryAddress,
  runs,
  trusting,
  updateScenario,
  updateSettings,
} from "./update-scenario.ts";

const updates = "/var/lib/steward/updates";

/** Seconds for which a timestamp is good: as short as can be worked with under emulation. */
const timestampSeconds = 240;

/** A compromised agent: its user, its right to set the clock, its files. */
export const scenario: TieredScenario = {
  title: "the agent's user, with the right to set the clock, installs nothing that root would not",
  tiers: { vm: {} },
  timeoutSeconds: 1_200,
  ...updateScenario("demo"),
  repository: { port: 8_480, product: "demo", timestampExpires: `${timestampSeconds}s` },
  files: {
    ...askerFiles,
    ...updateSettings(),
    ...productFiles({ successes: 3, interval: "1s", within: "40s" }),
  },
  asks: publishing(binary("1.0.0"), binary("1.1.0"), binary("1.2.0"), binary("1.3.0")),
  boots: [{ run: attacks }],
};

async function attacks(guest: Guest): Promise<void> {
  await trusting(guest);
  await whoItIs(guest);
  const old = await published(guest, "1.0.0");
  await asAgent(guest, `cp -a ${updates} /var/lib/steward/old`);
  await installs(guest, old);
  const present = await published(guest, "1.1.0");
  await tampered(guest, present, old);
  await installs(guest, present);
  const next = await published(guest, "1.2.0");
  const expires = performance.now() + timestampSeconds * 1_000;
  await asAgent(guest, `cp -a ${updates} /var/lib/steward/next`);
  await guest.run("systemctl", ["stop", "steward.service"]);
  await older(guest, old);
  await editing(guest);
  await frozen(guest, next, expires);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers(60);
  await runs(guest, present);
  // Each refusal was for its reason: the next release, fresh, is taken.
  await installs(guest, await published(guest, "1.3.0"));
}

/** A command line as the agent's user with the agent's capability, and no other. */
const agent = `setpriv --reuid=steward --regid=steward --init-groups ${[
  "inh-caps",
  "ambient-caps",
  "bounding-set",
]
  .map((set) => `--${set}=-all,+sys_time`)
  .join(" ")}`;
const asAgent = (guest: Guest, script: string): Promise<Ran> =>
  guest.run("sh", ["-c", `${agent} sh -c "$0"`, script], { timeoutSeconds: 240 });

async function whoItIs(guest: Guest): Promise<void> {
  const { stdout } = await asAgent(guest, "id -un; sed -n 's/^CapEff:[^0-9a-f]*//p' /proc/self/status");
  const [user, capabilities] = stdout.trim().split("\n");
  // CAP_SYS_TIME is number 25 (linux/capability.h).
  const isIt = user === "steward" && BigInt(`0x${capabilities}`) === 1n << 25n;
  guest.check("the attacker is the agent's user with CAP_SYS_TIME alone", isIt, stdout);
}

/** Published, known to the agent, and its payload where the agent would have put it. */
async function published(guest: Guest, version: string): Promise<PublishedRelease> {
  const release = (await guest.ask(`publish binary ${version}`)) as PublishedRelease;
  await guest.until(`the agent knows of ${version}`, 90, async () => {
    const { state, available } = await guest.api("/api/updates");
    if (available.binary?.version === version) return true;
    if (state !== "checking") await guest.api("/api/updates/check", {});
    throw new Error(JSON.stringify(available));
  });
  const fetched = await asAgent(
    guest,
    `umask 077 && mkdir -p ${updates}/staged && curl --silent --fail --output ${updates}/staged/${release.id}.tar.gz ${repositoryAddress}/${release.path}`,
  );
  guest.check(`${version} is staged`, fetched.status === 0, fetched);
  return release;
}

/** The answer of the root helper. */
async function ask(guest: Guest, { id }: { id: string }): Promise<string | undefined> {
  return (await askRoot(guest, "steward", [`install ${id}\n`]))[0];
}

async function installs(guest: Guest, release: PublishedRelease): Promise<void> {
  const asked = await ask(guest, release);
  guest.check(`the installer accepts ${release.version}`, asked === "ok", asked);
  await guest.until("its trial has ended", 180, () => releaseJournal().slots.binary.trial === null);
  await runs(guest, release);
}

/** Asks for it, and sees that nothing has changed but for the line that says why. */
async function isRefused(guest: Guest, what: string, release: { id: string }, why: RegExp): Promise<void> {
  const before = { current: linked("binary", "current"), good: releaseJournal().slots.binary.good };
  const asked = await ask(guest, release);
  const { slots, history } = releaseJournal();
  const entry = history.at(-1);
  guest.check(`refused: ${what}`, /^failed /.test(asked ?? "") && entry?.outcome === "refused", {
    asked,
    entry,
  });
  guest.check("for that reason", why.test(entry?.detail ?? ""), entry?.detail);
  guest.note(`${what}: ${entry?.detail}`);
  const after = { current: linked("binary", "current"), good: slots.binary.good };
  const isSame = JSON.stringify(before) === JSON.stringify(after) && slots.binary.trial === null;
  guest.check("and nothing is installed", isSame, { before, after });
}

async function tampered(guest: Guest, signed: PublishedRelease, other: PublishedRelease): Promise<void> {
  const file = (id: string) => `${updates}/staged/${id}.tar.gz`;
  await asAgent(guest, `cp ${file(signed.id)} /var/lib/steward/kept`);
  await asAgent(guest, `printf X | dd of=${file(signed.id)} bs=1 seek=100 conv=notrunc status=none`);
  await isRefused(guest, "a payload with one byte changed", signed, /hash|match|signed|differ/i);
  await asAgent(guest, `cp ${file(other.id)} ${file(signed.id)}`);
  await isRefused(guest, "another payload under its name", signed, /hash|match|signed|differ|length|byte/i);
  await asAgent(guest, `ln -sf /etc/shadow ${file(signed.id)}`);
  await isRefused(guest, "a link in its place", signed, /./);
  await asAgent(guest, `rm ${file(signed.id)}; cp /var/lib/steward/kept ${file(signed.id)}`);
}

async function older(guest: Guest, old: PublishedRelease): Promise<void> {
  const keep = `${updates}/staged/${old.id}.tar.gz`;
  const staged = `curl --silent --fail --output ${keep} ${repositoryAddress}/${old.path}`;
  await asAgent(guest, `umask 077; ${staged}`);
  await isRefused(guest, "an older release that is signed for", old, /not newer|older|newer|1\.1\.0/);
  await asAgent(
    guest,
    `rm -rf ${updates}/metadata && cp -a /var/lib/steward/old/metadata ${updates}/metadata`,
  );
  // The agent's own memory of what it has seen as well.
  await asAgent(guest, "echo '{}' >/var/lib/steward/updates.json");
  await isRefused(guest, "the same with the metadata of its day", old, /version|older|rollback/i);
}

async function editing(guest: Guest): Promise<void> {
  const releases = "/var/lib/steward-releases";
  const before = readFileSync(`${releases}/journal.json`, "utf8");
  const current = linked("binary", "current") ?? "";
  for (const script of [
    `echo '{}' >${releases}/journal.json`,
    `rm -f ${releases}/journal.json`,
    `mv ${releases}/journal.json ${releases}/journal`,
    `ln -sf /var/lib/steward/updates.json ${releases}/journal.json`,
    `touch ${releases}/under-way`,
    `echo confirm >${releases}/binary/order`,
    `ln -sfn /var/lib/steward ${releases}/binary/current`,
    `echo x >>${releases}/releases/${current}/server.pl`,
    `chmod 777 ${releases}`,
    "ls /var/lib/steward-trust",
    "echo x >/var/lib/steward-trust/x",
    "echo x >>/etc/steward/update-root.json",
    "systemctl --no-ask-password start steward-guard.service",
  ]) {
    const ran = await asAgent(guest, script);
    guest.check(`not permitted: ${script}`, ran.status !== 0, ran);
  }
  const isSame = before === readFileSync(`${releases}/journal.json`, "utf8");
  guest.check("the journal is as it was", isSame && linked("binary", "current") === current);
}

/** Metadata that have expired, under a clock that says they have not. */
async function frozen(guest: Guest, release: PublishedRelease, expires: number): Promise<void> {
  await asAgent(guest, `rm -rf ${updates} && cp -a /var/lib/steward/next ${updates}`);
  const staged = `${updates}/staged/${release.id}.tar.gz`;
  await asAgent(
    guest,
    `umask 077; curl --silent --fail --output ${staged} ${repositoryAddress}/${release.path}`,
  );
  await guest.pause(Math.max(0, (expires - performance.now()) / 1_000 + 5));
  const back = await asAgent(guest, "date -s '-1 hour' >/dev/null && date +%s");
  guest.check("the agent's user sets the clock back by an hour", back.status === 0, back);
  await isRefused(guest, "a timestamp that has expired, with the clock set back", release, /expired/i);
  await asAgent(guest, "date -s '+1 hour' >/dev/null");
}
