import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { atEnd, temporaryDirectory } from "../../lab/basics/ending.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { openOutboxWorld } from "../../lab/state/outbox-world.ts";
import { type EventType, eventTypes } from "../../src/contract/event-types.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { agentEvent, type EventFacts } from "../../src/journal/events/event.ts";
import { createMail } from "../../src/outbox/mail.ts";

const eve = { id: `usr_${"2".repeat(32)}`, name: "eve" };
const fingerprint = "aa".repeat(32);
const need = { need: "device_unnamed", level: "attention", hostname: "box" };
const base = { release_id: "r1", kind: "rules", name: "base", version: "1.3.0", detail: "No." };

/** Details with which people hear of each event; null: there are none. */
const heardBy: Readonly<Record<EventType, EventFacts["details"] | null>> = {
  "setup.done": {},
  "setup.rescued": { is_new: true },
  "sign_in.succeeded": { method: "password", session: "ses_1", role: "admin", is_new_address: true },
  "sign_in.refused": null,
  "step_up.succeeded": null,
  "session.ended": null,
  "session.reused": { session: "ses_1" },
  "session.cookie_refused": null,
  "password.changed": { role: "admin" },
  "user.created": { role: "admin", enabled: true, has_initial_password: false },
  "user.changed": { role: "admin", role_before: "readonly" },
  "user.deleted": { role: "admin" },
  "user.password_reset": { role: "admin", has_initial_password: true, tokens_ended: 0 },
  "user.unlocked": null,
  "user.rescued": { was_enabled: true, was_locked: false, had_two_factor: true, tokens_ended: 0 },
  "user.sessions_ended": null,
  "two_factor.set_up": null,
  "two_factor.enabled": { role: "admin" },
  "two_factor.disabled": { role: "admin" },
  "two_factor.recovered": { role: "admin", tokens_ended: 0 },
  "two_factor.recovery_codes_made": { role: "admin" },
  "two_factor.passkey_added": { role: "admin", passkey: "key" },
  "two_factor.passkey_removed": { role: "admin", passkey: "key" },
  "two_factor.skew_seen": null,
  // They become the need `users_locked`.
  "codes.locked": null,
  "token.created": { scopes: ["updates:apply"], owner: "anna", ends_at: "2027-11-27T10:00:00Z" },
  "token.rotated": null,
  "token.resumed": { owner: "anna" },
  "token.deleted": null,
  "token.tolerated": null,
  // The clock's troubles are needs.
  "clock.epoch_raised": null,
  "clock.stepped": null,
  "clock.set_by_hand": null,
  "clock.source_changed": null,
  "clock.contradicted": null,
  "clock.panicked": null,
  "clock.contested": null,
  "clock.sync_requested": null,
  "clock.reselect_requested": null,
  "clock.floor_reset": null,
  "update.trust_installed": { fingerprint, root_version: 1, goes_on: false },
  "update.trust_confirmed": { fingerprint },
  "update.root_rotated": { from_version: 1, version: 2 },
  "update.check_requested": null,
  "update.check_failed": null,
  "update.check_recovered": null,
  "update.available": null,
  "update.staged": null,
  "update.download_failed": null,
  "update.apply_requested": null,
  "update.rollback_requested": null,
  "update.postponed": null,
  "update.failure_dismissed": null,
  "update.applying": null,
  "update.applied": null,
  "update.undone": { ...base, outcome: "rolled_back" },
  "update.refused": base,
  "settings.changed": { changed: ["notify.receivers"] },
  "backup.made": { recipients: 0 },
  "notify.secret_set": { name: "alerts" },
  // Each of its changes has an event of its own.
  "configuration.applied": null,
  "host_file.read": null,
  "host_file.refused": null,
  "https.certificate_changed": null,
  "https.certificate_refused": null,
  "host.changed": null,
  "host.reboot_requested": null,
  "host.power_off_requested": null,
  "host.reset_requested": {},
  // A new record begins with these, and every receiver behind them.
  "host.reset": null,
  "host.identity_changed": null,
  "host.restored": null,
  "state.damage_found": null,
  "state.damage_accepted": null,
  "need.began": need,
  "need.ended": need,
  "request.refused": null,
};

const types = Object.keys(heardBy) as EventType[];

/** As the rooms record it: by the agent itself, or by anna. */
function factsOf(type: EventType): EventFacts {
  const facts = agentEvent(type, heardBy[type] ?? {});
  if (/^(need|update\.(undone|refused|trust_installed|root_rotated))/.test(type)) return facts;
  const actor = { kind: "user", id: `usr_${"1".repeat(32)}`, name: "anna" } as const;
  return { ...facts, actor, subject: eve, from: "192.0.2.7" };
}

describe("the events of a device", () => {
  it("have a decision each whether people hear of it", () => {
    const never = Object.entries(eventTypes).filter(([, row]) => "heard" in row && row.heard === "never");
    assert.deepEqual(
      never.map(([type]) => type).sort(),
      types.filter((type) => heardBy[type] === null).sort(),
    );
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
    if (eventTypes[type].log === "changes") await world.record(factsOf(type));
    // A message for a few of them, so that it has them all.
    if (index % 10 === 9) await world.pass(90);
  }
  await world.pass(90);
  const told = world.attempts.flatMap(({ message }) => message.notices);
  assert.deepEqual(
    told.map(({ type }) => type),
    types.filter((type) => heardBy[type] !== null),
  );
  assert.deepEqual(
    world.arrived.flatMap(({ seqs }) => seqs),
    told.map(({ seq }) => seq),
  );
  const mailed = server.mails.flatMap(({ text }) => text.split("\n"));
  const unexpected = language === "en" ? "If this was not expected: " : "Wenn das nicht zu erwarten war: ";
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
