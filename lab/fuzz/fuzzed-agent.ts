import { readFileSync } from "node:fs";
import {
  type AgentOptions,
  type AgentProcess,
  startAgentProcess,
  testProxy,
} from "../agents/running-agent.ts";
import { writeHostFile } from "../host/host-file-of-root.ts";
import { peakMiBOf } from "./api/invariants.ts";
import type { Ledger } from "./ledger.ts";

/** MiB: `MemoryMax` of systemd/steward.service, beyond which the kernel ends it. */
const mostMiB = 256;

/** The bit of CAP_SYS_TIME in /proc/PID/status (capability.h). */
const capSysTime = 1n << 25n;

/** The built agent in a process that cannot set the clock, whatever it is asked. */
export interface FuzzedAgent extends AgentProcess {
  /** It runs, has logged no error and has stayed within its memory. Gives the MiB that it took at most. */
  judgeProcess(ledger: Ledger): number;
}

export async function startFuzzedAgent(stateDirectory?: string): Promise<FuzzedAgent> {
  const hostFile = process.getuid?.() === 0 ? writeHostFile({ trusted_proxies: [testProxy] }) : null;
  const agent = await startWithoutClockRight({
    ...(stateDirectory !== undefined && { stateDirectory }),
    ...(hostFile && { arguments: ["--host-file", hostFile.path] }),
  });
  const dispose = async (): Promise<void> => {
    await agent.dispose();
    hostFile?.remove();
  };
  return { ...agent, dispose, judgeProcess: (ledger) => judgeProcess(agent, ledger) };
}

/** Starts the built agent; as root it loses the right to set the clock first. Throws where it has that right all the same. */
export async function startWithoutClockRight(options: AgentOptions): Promise<AgentProcess> {
  const isRoot = process.getuid?.() === 0;
  const prefix = ["setpriv", "--bounding-set=-sys_time", "--inh-caps=-sys_time"];
  const agent = await startAgentProcess({ ...options, ...(isRoot && { prefix }) });
  const capabilities = /^CapEff:\s+([0-9a-f]+)$/m.exec(
    readFileSync(`/proc/${agent.pid}/status`, "utf8"),
  )?.[1];
  if ((BigInt(`0x${capabilities}`) & capSysTime) === 0n) return agent;
  await agent.dispose();
  throw new Error("the agent could set this machine's clock");
}

function judgeProcess({ process: child, pid, log }: AgentProcess, ledger: Ledger): number {
  const peakMiB = peakMiBOf(pid);
  if (child.exitCode !== null || child.signalCode !== null)
    ledger.find(`it has ended with ${child.exitCode ?? child.signalCode}: ${log().slice(-500)}`);
  if (peakMiB > mostMiB) ledger.find(`it took ${peakMiB.toFixed(0)} MiB, and may take ${mostMiB}`);
  const errors = log()
    .split("\n")
    .filter((line) => line.includes('"severity":"error"'));
  for (const line of errors.slice(0, 3)) ledger.find(`its log has an error: ${line.slice(0, 400)}`);
  return peakMiB;
}
