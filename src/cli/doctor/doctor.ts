import { OnlyExitCode } from "../../terminal/command-error.ts";
import type { Command } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";

/** As of `steward status`. */
const needsPerson = 10;

export const doctor: Command = {
  path: ["doctor"],
  summary:
    "Examine this device, without agent, network or a right clock; the last line is the next command to type; exit 0 only if nothing has to be done, else 10",
  examples: [
    { line: "steward doctor", what: "each trouble of the device, its meaning, and the line to type" },
    {
      line: "steward doctor --bundle - > /mnt/stick/doctor.tar.gz",
      what: "the same for someone else's eyes, where this disk takes no file",
    },
  ],
  options: [
    {
      name: "bundle",
      value: "FILE",
      isFile: true,
      summary:
        "write a .tar.gz with the findings, logs and settings, without secrets and names of users; - is standard output",
    },
  ],
  isWithoutAgent: true,
  async run(invocation) {
    requireLocal(invocation.places, "doctor");
    const { runDoctor } = await import("./run-doctor.ts");
    const { needsSomething } = await runDoctor(invocation);
    if (needsSomething) throw new OnlyExitCode(needsPerson);
  },
};
