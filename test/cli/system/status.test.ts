import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { exampleSummary } from "../../../lab/command-line/example-clock.ts";
import { exampleHold, exampleUpdateSummary } from "../../../lab/command-line/example-updates.ts";
import type { AuditEvent, Status } from "../../../src/contract/types.ts";
import { ended } from "../fixture.ts";

const event = (change: Partial<AuditEvent>): AuditEvent => ({
  ...{ seq: 1, time: "2026-11-20T13:58:00.000Z", type: "sign_in.succeeded", log: "changes" },
  ...{ outcome: "success", code: null, count: 1, actor: { kind: "user", id: "1", name: "ana" } },
  subject: { id: "1", name: "ana" },
  ...{ from: "local", request_id: null, details: {}, previous_hash: "0".repeat(64), hash: "0".repeat(64) },
  ...change,
});

const well: Status = {
  state: "ok",
  device_name: "edge-7",
  version: "1.2.3",
  product: { name: "pump-7", version: "2.4.1", pages: [] },
  server_time: "2026-11-20T14:00:00.000Z",
  clock: {
    ...{ word: "in_sync", state: "synchronised", trust: "trusted", authenticated: false },
    ...{ mode: "discipline", summary: exampleSummary() },
    ...{ offset_seconds: 0.0004, uncertainty_seconds: 0.0012, source: "ntp1.example" },
    last_sync_at: "2026-11-20T13:59:00.000Z",
  },
  updates: {
    ...{ state: "idle", is_automatic: true },
    summary: exampleUpdateSummary("nothing_newer", "Nothing newer is offered."),
    kinds: [
      { kind: "rules", installed: "1.2.0", available: null, staged: false, blocker: null },
      {
        ...{ kind: "binary", installed: null, available: "2.0.0", staged: true },
        blocker: exampleHold("window", "It waits."),
      },
    ],
    ...{ last_check: null, last_success_at: null, next_check_at: "2026-11-20T20:00:00.000Z" },
  },
  people: {
    ...{ accounts: 3, administrators: 1, disabled: 0, locked: 2, two_factor_missing: 0 },
    ...{ without_two_factor: 1, must_change_password: 0, tokens: 1 },
  },
  host: {
    ...{ hostname: "edge", uptime_seconds: 90_000, load: [0.5, 0.25, 0], cores: 4 },
    memory: { total_bytes: 2 ** 30, available_bytes: 2 ** 29, swap_total_bytes: 0, swap_free_bytes: 0 },
    disk: { path: "/var/lib/steward", size_bytes: 2 ** 33, available_bytes: 2 ** 32 },
    temperature_celsius: 41.3,
  },
  needs: [],
  event_reach: { chain_from: 1, complete_since: null },
  last_backup_at: "2026-11-08T13:00:00.000Z",
  latest: [
    event({ type: "update.applied", actor: { kind: "agent", id: null, name: null }, subject: null }),
    event({ type: "user.changed", subject: { id: "2", name: "ben" } }),
    event({ type: "sign_in.refused", outcome: "refused", code: "invalid_credentials", count: 3 }),
  ],
};

/** Shows it, which ends so. */
const show = (test: TestContext, body: object, end: Parameters<typeof ended>[3] = {}, line = "status") =>
  ended(test, line, { "GET /api/status": { body } }, end);

it("steward version names the product in one line, with its version where that is known", async (test) => {
  for (const [version, line] of [
    ["2.4.1", "product      pump-7 2.4.1"],
    [null, "product      pump-7"],
  ]) {
    const body = {
      name: "steward",
      version: "1.2.3",
      api_version: "1",
      product: { name: "pump-7", version },
    };
    const { stdout } = await ended(test, "version", { "GET /api/version": { body } }, {});
    assert.ok(stdout.split("\n").includes(String(line)), stdout);
  }
});

describe("steward status", { concurrency: true }, () => {
  it("ends with 0 where nothing needs attention, and fits on one screen", async (test) => {
    const { stdout } = await show(test, well);
    assert.deepEqual(stdout.split("\n"), [
      "edge-7: all is well",
      "",
      "clock        in sync, 400 us behind +- 1.20 ms, by ntp1.example, last sync 2026-11-20T13:59:00.000Z",
      "updates      idle",
      "rules        1.2.0",
      "binary       not installed; 2.0.0 is available and verified. It waits.",
      "checked      never; next 2026-11-20T20:00:00.000Z",
      "people       3 accounts, 1 administrator, 2 locked, 1 without a second factor, 1 API token",
      "disk         4.0 GiB of 8.0 GiB free, /var/lib/steward",
      "memory       512.0 MiB of 1.0 GiB free",
      "temperature  41 °C",
      "load         0.50 0.25 0.00 on 4 cores",
      "events       complete",
      "last backup  2026-11-08T13:00:00.000Z, 12 days ago",
      "up for       1 d 1 h 0 min",
      "product      pump-7 2.4.1",
      "version      1.2.3",
      "",
      "Lately",
      "2026-11-20T13:58:00.000Z  sign_in.refused by ana (invalid_credentials, 3 times)",
      "2026-11-20T13:58:00.000Z  user.changed by ana: ben",
      "2026-11-20T13:58:00.000Z  update.applied by agent",
      "",
    ]);
  });

  const detail = "It is\u001b[2J full.";
  const full = { ...well, state: "failing", needs: [{ code: "disk", level: "failing", facts: {}, detail }] };

  it("ends with 10 where something does, each with what to do, harmless in a terminal", async (test) => {
    const stdout = [
      /^edge-7: failing, 1 thing needs attention\n/,
      /^disk +FAILING; 4\.0 GiB of 8\.0 GiB free, /m,
      /^clock +in sync/m,
      /\n\n\* FAILING disk: It is\\x1b\[2J full\.\n\nLately\n/,
    ];
    await show(test, full, { code: 10, stderr: "", stdout });
    const asJson = await show(test, full, { code: 10 }, "-o json status");
    assert.deepEqual(JSON.parse(asJson.stdout), full);
  });

  it("prints the line to type for a need, and what it deletes, as doctor does", async (test) => {
    const typed = { line: "systemctl restart steward.service", deletes: null };
    const lossy = { line: "steward state reset users", deletes: "all accounts" };
    const need = { code: "disk", level: "failing", facts: {}, detail };
    const needs = [typed, lossy].map((remedy) => ({ ...need, remedy }));
    const stdout = [
      /full\.\n {2}> systemctl restart steward\.service\n\* FAILING/,
      /full\.\n {2}> steward state reset users\n {2}It deletes all accounts\.\n\nLately/,
    ];
    await show(test, { ...well, state: "failing", needs }, { code: 10, stdout });
  });

  it("calls a check not all well while a kind of updates is blocked", async (test) => {
    const checked = {
      ...{ at: "2026-11-20T14:00:00.000Z", outcome: "ok", code: null },
      ...{ detail: null, requests: 2, body_bytes: 312 },
    };
    const [rules] = well.updates?.kinds ?? [];
    const kinds = [{ ...rules, blocker: exampleHold("not_verifiable", "It has expired.") }];
    const updates = { ...well.updates, kinds, last_check: checked };
    const stdout =
      /^rules +1\.2\.0\. It has expired\.\nchecked +\S+, succeeded, but one kind could not be verified; /m;
    await show(test, { ...well, updates }, { stdout });
  });

  it("shows the remaining facts in rescue", async (test) => {
    const needs = [{ code: "rescue", level: "failing", facts: {}, detail: "users.json is damaged." }];
    const rescue = { ...well, state: "rescue", updates: null, people: null, needs };
    await show(test, rescue, { code: 10, stdout: /^edge-7: rescue, .*\n\nclock .*\ndisk / });
  });
});
