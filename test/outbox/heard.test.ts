import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { report } from "../../lab/state/event-directory.ts";
import { openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { type EventType, eventTypes } from "../../src/contract/event-types.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { agentEvent, type EventFacts } from "../../src/journal/events/event.ts";
import { createMail } from "../../src/outbox/mail.ts";

const eve = { id: `usr_${"2".repeat(32)}`, name: "eve" };
const fingerprint = "aa".repeat(32);
const need = { need: "device_unnamed", level: "attention", hostname: "box" };
const base = { release_id: "r1", kind: "rules", name: "base", version: "1.3.0", detail: "No." };

/** Details with which people hear of each event; the others are in `never`. */
const heardBy: Readonly<Partial<Record<EventType, EventFacts["details"]>>> = {
  "setup.done": {},
  "setup.rescued": { is_new: true },
  "sign_in.succeeded": { method: "password", session: "ses_1", role: "admin", is_new_address: true },
  "session.reused": { session: "ses_1" },
  "password.changed": { role: "admin" },
  "user.created": { role: "admin", enabled: true, has_initial_password: false },
  "user.changed": { role: "admin", role_before: "readonly" },
  "user.deleted": { role: "admin" },
  "user.password_reset": { role: "admin", has_initial_password: true, tokens_ended: 0 },
  "user.rescued": { was_enabled: true, was_locked: false, had_two_factor: true, tokens_ended: 0 },
  "two_factor.enabled": { role: "admin" },
  "two_factor.disabled": { role: "admin" },
  "two_factor.recovered": { role: "admin", tokens_ended: 0 },
  "two_factor.recovery_codes_made": { role: "admin" },
  "two_factor.passkey_added": { role: "admin", passkey: "key" },
  "two_factor.passkey_removed": { role: "admin", passkey: "key" },
  "token.created": { scopes: ["updates:apply"], owner: "anna", ends_at: "2027-11-27T10:00:00Z" },
  "token.resumed": { owner: "anna" },
  "update.trust_installed": { fingerprint, root_version: 1, goes_on: false },
  "update.trust_confirmed": { fingerprint },
  "update.root_rotated": { from_version: 1, version: 2 },
  "update.undone": { ...base, outcome: "rolled_back" },
  "update.refused": base,
  "settings.changed": { changed: ["notify.receivers"] },
  "backup.made": { recipients: 0 },
  "notify.secret_set": { name: "alerts" },
  "https.enabled": { because: "from_device" },
  "host.reset_requested": {},
  "need.began": need,
  "need.ended": need,
  "product.reported": { code: "stuck", level: "notice", is_message: true, en: "The valve is stuck" },
};

/** No message is made of these: they are needs as well, or others say the same, or a new record begins with them. */
const never =
  `sign_in.refused step_up.succeeded session.ended session.cookie_refused user.unlocked user.sessions_ended
  two_factor.set_up two_factor.skew_seen codes.locked token.rotated token.deleted token.tolerated
  clock.epoch_raised clock.stepped clock.set_by_hand clock.source_changed clock.contradicted
  clock.panicked clock.contested clock.sync_requested clock.reselect_requested clock.floor_reset
  update.check_requested update.check_failed update.check_recovered update.available update.staged
  update.download_failed update.apply_requested update.rollback_requested update.postponed
  update.failure_dismissed update.applying update.applied configuration.applied host_file.read
  host_file.refused https.certificate_changed https.certificate_refused host.changed host.reboot_requested
  host.power_off_requested host.reset host.identity_changed host.restored state.damage_found
  state.damage_accepted request.refused`.split(/\s+/) as EventType[];

const types = Object.keys(eventTypes) as EventType[];

/** As the rooms record it: by the agent itself, or by anna. */
function factsOf(type: EventType): EventFacts {
  const facts = agentEvent(type, heardBy[type] ?? {});
  if (type === "product.reported") return { ...report("stuck"), details: facts.details };
  if (/^(need|update\.(undone|refused|trust_installed|root_rotated))/.test(type)) return facts;
  const actor = { kind: "user", id: `usr_${"1".repeat(32)}`, name: "anna" } as const;
  return { ...facts, actor, subject: eve, from: "192.0.2.7" };
}

describe("the events of a device", () => {
  it("have a decision each whether people hear of it", () => {
    const unheard = Object.entries(eventTypes).filter(([, row]) => "heard" in row && row.heard === "never");
    assert.deepEqual(unheard.map(([type]) => type).sort(), [...never].sort());
    assert.deepEqual([...never, ...Object.keys(heardBy)].sort(), [...types].sort());
  });

  it("reach a webhook and a mailbox, or neither, as that decision says", (test) => reach(test, "en"));
  it("reach them in German where that is the language of the device", (test) => reach(test, "de"));
});

async function reach(test: TestContext, language: "en" | "de"): Promise<void> {
  const authority = createAuthority(await temporaryDirectory(test));
  const server = await startMailServer(authority.certify("127.0.0.1"));
  atEnd(test, () => server.stop());
  const world = await openOutboxWorld(test);
  world.language = language;
  const [uptime, wall] = [world.time.now, () => Date.parse("2026-11-27T10:00:00Z") + uptime() * 1_000];
  const mailbox = createMail({
    ...{
      server: "127.0.0.1",
      port: server.port,
      security: "starttls",
      ...mailUser,
      hostName: () => "edge-7",
      wall,
      uptime,
    },
    ...{ from: "box@plant.example", to: ["owner@plant.example"] },
    connections: createServerConnections({ allowLocalServers: true, caFile: authority.path }),
  });
  await world.configure([world.receiver(), { name: "duty", takes: "all", receiver: world.reached(mailbox) }]);
  for (const [index, type] of types.entries()) {
    if (eventTypes[type].log !== "refusals") await world.record(factsOf(type));
    // A message for a few of them, so that it has them all.
    if (index % 10 === 9) await world.pass(90);
  }
  await world.pass(90);
  const told = world.attempts.flatMap(({ message }) => message.notices);
  const heard = told.map(({ type }) => type);
  assert.deepEqual(
    heard,
    types.filter((type) => type in heardBy),
  );
  const arrived = world.arrived.flatMap(({ seqs }) => seqs);
  assert.deepEqual(
    arrived,
    told.map(({ seq }) => seq),
  );
  const mailed = server.mails.flatMap(({ text }) => text.split("\n"));
  const unexpected =
    language === "en" ? "If this was not expected: " : "Falls Sie das nicht erwartet haben: ";
  for (const { type, event, time, text } of told) {
    const at = mailed.indexOf(text);
    assert.ok(at > 0, `${type} is not mailed: ${text}`);
    const when = `${time.slice(0, 10)} ${time.slice(11, 19)} UTC`;
    assert.ok(mailed.slice(Math.max(0, at - 2), at).includes(when), `${type}: ${when}`);
    if (event.actor.kind !== "user") continue;
    const isSaid = ["192.0.2.7", unexpected, "anna"].every((part) => text.includes(part));
    assert.ok(isSaid, text);
  }
}
