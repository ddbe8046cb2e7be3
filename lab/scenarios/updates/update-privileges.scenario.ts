import { readFileSync } from "node:fs";
import { askerFiles, askRoot } from "../../machines/guest/root-helper.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { PublishedRelease } from "../../machines/host/publisher.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "./demo-product.ts";
import * as updates from "./update-scenario.ts";

const place = "/var/lib/steward/updates";

/** Seconds for which a timestamp is good: as short as can be worked with under emulation. */
const timestampSeconds = 240;

/** A compromised agent: its user, its right to set the clock, its files. */
export const scenario: TieredScenario = {
  title: "the agent's user, with the right to set the clock, installs nothing that root would not",
  tiers: { vm: {} },
  timeoutSeconds: 1_200,
  ...updates.updateScenario("demo"),
  repository: { port: 8_480, product: "demo", timestampExpires: `${timestampSeconds}s` },
  files: {
    ...askerFiles,
    ...updates.updateSettings(),
    ...productFiles({ successes: 3, interval: "1s", within: "40s" }),
  },
  asks: updates.publishing(binary("1.0.0"), binary("1.1.0"), binary("1.2.0"), binary("1.3.0")),
  boots: [{ run: attacks }],
};

async function attacks(guest: Guest): Promise<void> {
  await updates.trusting(guest);
  await whoItIs(guest);
  const old = await published(guest, "1.0.0");
  await asAgent(guest, `cp -a ${place} /var/lib/steward/old`);
  await installs(guest, old);
  const present = await published(guest, "1.1.0");
  await tampered(guest, present, old);
  await installs(guest, present);
  const next = await published(guest, "1.2.0");
  const expires = performance.now() + timestampSeconds * 1_000;
  await asAgent(guest, `cp -a ${place} /var/lib/steward/next`);
  await guest.run("systemctl", ["stop", "steward.service"]);
  await older(guest, old);
  await editing(guest);
  await frozen(guest, next, expires);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers(60);
  await updates.runs(guest, present);
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
  const { stdout } = await asAgent(guest, "id -un; grep ^CapEff: /proc/self/status");
  // CAP_SYS_TIME is number 25 (linux/capability.h).
  const isIt = /^steward\nCapEff:\s+0*2000000\n$/.test(stdout);
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
  await staged(guest, release);
  return release;
}

const fileOf = ({ id }: { id: string }): string => `${place}/staged/${id}.tar.gz`;

async function staged(guest: Guest, release: PublishedRelease): Promise<void> {
  const fetched = await asAgent(
    guest,
    `umask 077 && mkdir -p ${place}/staged && curl --silent --fail --output ${fileOf(release)} ${updates.repositoryAddress}/${release.path}`,
  );
  guest.check(`${release.version} is staged`, fetched.status === 0, fetched);
}

/** The answer of the root helper. */
async function ask(guest: Guest, { id }: { id: string }): Promise<string | undefined> {
  return (await askRoot(guest, "steward", [`install ${id}\n`]))[0];
}

async function installs(guest: Guest, release: PublishedRelease): Promise<void> {
  const asked = await ask(guest, release);
  guest.check(`the installer accepts ${release.version}`, asked === "ok", asked);
  await guest.until("its trial has ended", 180, () => updates.releaseJournal().slots.binary.trial === null);
  await updates.runs(guest, release);
}

/** Asks for it, and sees that nothing has changed but for the line that says why. */
async function isRefused(guest: Guest, what: string, release: { id: string }, why: RegExp): Promise<void> {
  const standing = () =>
    JSON.stringify([updates.linked("binary", "current"), updates.releaseJournal().slots.binary.good]);
  const before = standing();
  const asked = await ask(guest, release);
  const { slots, history } = updates.releaseJournal();
  const entry = history.at(-1);
  const isRefused = /^failed /.test(asked ?? "") && entry?.outcome === "refused";
  guest.check(`refused: ${what}`, isRefused, { asked, entry });
  guest.check("for that reason", why.test(entry?.detail ?? ""), entry?.detail);
  const isSame = standing() === before && slots.binary.trial === null;
  guest.check("and nothing is installed", isSame, { before, after: standing() });
}

async function tampered(guest: Guest, signed: PublishedRelease, other: PublishedRelease): Promise<void> {
  const file = fileOf(signed);
  await asAgent(guest, `cp ${file} /var/lib/steward/kept`);
  for (const [what, script, why] of [
    [
      "one byte changed",
      `printf X | dd of=${file} bs=1 seek=100 conv=notrunc status=none`,
      /hash|match|signed|differ/i,
    ],
    ["another under its name", `cp ${fileOf(other)} ${file}`, /hash|match|signed|differ|length|byte/i],
    ["a link in its place", `ln -sf /etc/shadow ${file}`, /./],
  ] as const) {
    await asAgent(guest, script);
    await isRefused(guest, `a payload: ${what}`, signed, why);
  }
  await asAgent(guest, `rm ${file}; cp /var/lib/steward/kept ${file}`);
}

async function older(guest: Guest, old: PublishedRelease): Promise<void> {
  await staged(guest, old);
  await isRefused(guest, "an older release that is signed for", old, /not newer|older|newer|1\.1\.0/);
  // The agent's own memory of what it has seen as well.
  const former = `rm -rf ${place}/metadata && cp -a /var/lib/steward/old/metadata ${place}/metadata`;
  await asAgent(guest, `${former}; echo '{}' >/var/lib/steward/updates.json`);
  await isRefused(guest, "the same with the metadata of its day", old, /version|older|rollback/i);
}

async function editing(guest: Guest): Promise<void> {
  const releases = "/var/lib/steward-releases";
  const before = readFileSync(`${releases}/journal.json`, "utf8");
  const current = updates.linked("binary", "current") ?? "";
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
  guest.check("the journal is as it was", isSame && updates.linked("binary", "current") === current);
}

/** Metadata that have expired, under a clock that says they have not. */
async function frozen(guest: Guest, release: PublishedRelease, expires: number): Promise<void> {
  await asAgent(guest, `rm -rf ${place} && cp -a /var/lib/steward/next ${place}`);
  await staged(guest, release);
  await guest.pause(Math.max(0, (expires - performance.now()) / 1_000 + 5));
  const back = await asAgent(guest, "date -s '-1 hour' >/dev/null && date +%s");
  guest.check("the agent's user sets the clock back by an hour", back.status === 0, back);
  await isRefused(guest, "a timestamp that has expired, with the clock set back", release, /expired/i);
  await asAgent(guest, "date -s '+1 hour' >/dev/null");
}
