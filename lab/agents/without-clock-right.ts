import { readFileSync } from "node:fs";
import { type AgentOptions, type AgentProcess, startAgentProcess } from "./running-agent.ts";

/** The bit of CAP_SYS_TIME in /proc/PID/status (capability.h). */
const capSysTime = 1n << 25n;

/** Starts the built agent; as root it loses the right to set the clock first. Throws where it has that right all the same. */
export async function startWithoutClockRight(options: AgentOptions): Promise<AgentProcess> {
  const isRoot = process.getuid?.() === 0;
  const prefix = [...(options.prefix ?? []), "setpriv", "--bounding-set=-sys_time", "--inh-caps=-sys_time"];
  const agent = await startAgentProcess({ ...options, ...(isRoot && { prefix }) });
  const status = readFileSync(`/proc/${agent.pid}/status`, "utf8");
  const [, capabilities] = /^CapEff:\s+([0-9a-f]+)$/m.exec(status) ?? [];
  if ((BigInt(`0x${capabilities}`) & capSysTime) === 0n) return agent;
  await agent.dispose();
  throw new Error("the agent could set this machine's clock");
}
