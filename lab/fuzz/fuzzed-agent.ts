import { type AgentProcess, testProxy } from "../agents/running-agent.ts";
import { startWithoutClockRight } from "../agents/without-clock-right.ts";
import { writeHostFile } from "../host/host-file-of-root.ts";
import { peakMiBOf } from "./api/invariants.ts";
import type { Ledger } from "./ledger.ts";

/** MiB: `MemoryMax` of systemd/steward.service, beyond which the kernel ends it. */
const mostMiB = 256;

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
