import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { runSteward, startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { temporaryDirectory } from "../../lab/command-line/run-steward.ts";
import { messageOf, noticeOf as sampleOf } from "../../lab/host/messages.ts";
import { notify } from "../../src/contract/notifications/notify-settings.ts";
import { cloudEvent } from "../../src/outbox/cloud-event.ts";
import { mailText } from "../../src/outbox/mail-text.ts";
import { noticeOf } from "../../src/outbox/notices.ts";
import { makeWebhookSecret, signedHeaders, webhookKey } from "../../src/outbox/webhook-signature.ts";
import { receiverErrors } from "../../src/system/settings/receiver-rules.ts";
import { blocksOf, complaintAbout } from "./fixture.ts";

const pageOf = (name: string) => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
/** The first block of the kind. */
const blockIn = (page: string, kind: string): string =>
  blocksOf(page).find((one) => one.kind === kind)?.text ?? assert.fail(kind);
const python = (script: string, input: string) =>
  spawnSync("python3", ["-c", script], { input, encoding: "utf8" });

describe("the example for cloud-init", () => {
  const text = blockIn(pageOf("fleet.md"), "yaml");
  /** Files by their paths, and the commands, as they are written there; YAML is asked below. */
  const written = text.matchAll(/- path: (\S+)\n {4}permissions: "0600"\n {4}content: \|\n((?: {6}.*\n)+)/g);
  const files = new Map(
    [...written].map(([, path = "", content = ""]) => [path, content.replaceAll(/^ {6}/gm, "")]),
  );
  const commands = [...text.matchAll(/^ {2}- \[(.*)\]$/gm)].map(([, words = ""]) => words.split(", "));

  it("is YAML of just these files and commands", () => {
    const read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
    const { status, stdout, stderr } = python(read, text);
    assert.equal(status, 0, stderr);
    assert.match(text, /^#cloud-config\n/);
    assert.deepEqual(JSON.parse(stdout), {
      write_files: [...files].map(([path, content]) => ({ path, permissions: "0600", content })),
      runcmd: commands,
    });
    const own = commands.filter(([program]) => program === "steward").map((words) => words.join(" "));
    assert.deepEqual(own, ["steward apply /root/fleet.json", "steward tls enable"]);
    assert.deepEqual(own.map(complaintAbout), [null, null]);
  });

  it("makes an administrator who can sign in, and a device as the file says", async (test) => {
    const place = temporaryDirectory(test);
    const password = "green tractor sings loudly";
    const { stdout } = await runSteward(["hash-password", "--password-stdin"], { input: `${password}\n` });
    const put = (name: string, path: string) =>
      writeFileSync(join(place, name), (files.get(path) ?? "").replaceAll("HASH", stdout.trim()));
    put("steward.admin", "/etc/steward/first-admin.json");
    const agent = await startAgentInProcess({ environment: { CREDENTIALS_DIRECTORY: place } });
    test.after(() => agent.dispose());
    put("fleet.json", "/root/fleet.json");
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const applied = await runSteward(["apply", join(place, "fleet.json")], { environment });
    assert.equal(applied.code, 0, applied.stderr);
    const body = { username: "anna", password };
    assert.equal((await agent.call("POST", "/api/auth/login", { body })).status, 200);
    const { json } = await agent.call("GET", "/api/system", { local: true });
    assert.equal(json.device.location, "hall 2");
  });
});

describe("the pages about receivers of messages", () => {
  const page = pageOf("notification-receivers.md");
  const administrators = pageOf("notifications.md");
  const details = { need: "clock", level: "attention", reason: "clock_no_majority" };
  const message = messageOf([noticeOf(sampleOf(4_711, { details }).event)]);

  it("have the body that a device sends", () =>
    assert.deepEqual(JSON.parse(blockIn(page, "json")), cloudEvent(message, "")));

  it("name receivers in settings as they may be", () => {
    const { receivers } = JSON.parse(blockIn(administrators, "json")).notify;
    const isValid = new Ajv2020({ strict: false }).compile(notify.properties.receivers);
    assert.equal(isValid(receivers), true, JSON.stringify(isValid.errors));
    assert.deepEqual(receiverErrors(receivers), []);
  });

  it("have the mail that a device sends", () => {
    const person = (name: string) => ({ kind: "user" as const, id: `usr_${"1".repeat(32)}`, name });
    const changed = { role: "admin", role_before: "readonly" };
    const { event } = sampleOf(4_712, { type: "user.changed", details: changed });
    const by = { actor: person("anna"), subject: person("eve"), from: "192.0.2.7" };
    const other = messageOf([noticeOf({ ...event, ...by, time: "2026-11-29T10:00:31.000Z" })]);
    for (const [whole, sent] of [
      [page, message],
      [administrators, other],
    ] as const) {
      const { subject, text } = mailText(sent, sent.notices);
      const [shown] = text.split("\n\n-- \n");
      assert.equal(blockIn(whole, "text"), `Subject: ${subject}\n\n${shown}\n`);
    }
  });

  it("verify a webhook, and refuse another secret, another body and one of six minutes ago", () => {
    const secret = makeWebhookSecret();
    const body = JSON.stringify(cloudEvent(message, ""));
    const now = Math.floor(Date.now() / 1_000);
    const headersAt = (seconds: number) =>
      signedHeaders(webhookKey(secret) ?? assert.fail(), message.id, seconds, body);
    const cases = [
      [secret, headersAt(now), body],
      [makeWebhookSecret(), headersAt(now), body],
      [secret, headersAt(now), `${body} `],
      [secret, headersAt(now - 360), body],
    ];
    const asking =
      "import json, sys\nprint(json.dumps([is_from_device(s, h, b.encode()) for s, h, b in json.load(sys.stdin)]))";
    const { stdout, stderr } = python(`${blockIn(page, "python")}\n${asking}`, JSON.stringify(cases));
    assert.deepEqual(JSON.parse(stdout || JSON.stringify(stderr)), [true, false, false, false]);
  });
});
