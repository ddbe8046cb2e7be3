import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ending } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { startAgentInProcess } from "./agent-in-process.ts";
import type { RunningAgent } from "./running-agent.ts";

/** Chromium's flag under which the name leads to this machine. */
export const leadsHere = "--host-resolver-rules=MAP edge-7.local 127.0.0.1";

/** An agent that answers over HTTPS under `edge-7.local`, until the suite ends. */
export async function startAgentUnderName(ending: Ending): Promise<{ agent: RunningAgent; port: number }> {
  const home = mkdtempSync(join(tmpdir(), "steward-under-name-"));
  ending.after(async () => rmSync(home, { recursive: true, force: true }));
  mkdirSync(join(home, "etc"), { mode: 0o755 });
  const hostFile = join(home, "etc/steward.json");
  const port = await heldPort();
  const https = { enabled: true, port, address: "127.0.0.1" };
  writeFileSync(hostFile, JSON.stringify({ names: ["edge-7.local"], https }));
  const agent = await startAgentInProcess({ arguments: ["--host-file", hostFile] });
  ending.after(() => agent.dispose());
  return { agent, port };
}

/** Chromium's flag that takes the agent's own certificate as one of an authority that it trusts. */
export async function trusting(agent: RunningAgent): Promise<string> {
  const { json } = await agent.call("GET", "/api/system/tls", { local: true });
  return `--ignore-certificate-errors-spki-list=${json.certificate.public_key_pin.replace("sha256//", "")}`;
}
