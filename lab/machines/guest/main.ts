import type { Scenario } from "../scenario.ts";
import { type Channel, openChannel } from "./channel.ts";
import { runCommand } from "./command.ts";
import { asText, createGuest } from "./guest.ts";

/** Runs this boot's part of the scenario, tells the host how it ended, and leaves the machine to it. */
export async function runGuestPart(scenario: Scenario): Promise<void> {
  const { SCENARIO_BOOT, SCENARIO_HOST = "" } = process.env;
  const boot = Number(SCENARIO_BOOT);
  const channel = openChannel(SCENARIO_HOST);
  let hasFailed = false;
  const watched: Channel = {
    ...channel,
    send: (message) => {
      if (message.kind === "check" && !message.passed) hasFailed = true;
      channel.send(message);
    },
  };
  const slowness = Number(await channel.ask({ kind: "begin", boot }));
  let error: string | null = null;
  try {
    const part = scenario.boots[boot];
    if (!part) throw new Error(`the scenario has no boot ${boot}`);
    await part.run(createGuest({ boot, slowness }, watched));
  } catch (cause) {
    error = asText(cause);
  }
  if (error !== null || hasFailed) {
    const words = ["--boot", "--no-pager", "--output=short-monotonic", "--lines=400"];
    channel.send({ kind: "journal", text: (await runCommand("journalctl", words)).stdout });
  }
  channel.send({ kind: "end", error });
  if (scenario.keepsDisk && !scenario.boots[boot]?.powerCut)
    await runCommand("systemctl", ["poweroff", "--no-block"]);
}
