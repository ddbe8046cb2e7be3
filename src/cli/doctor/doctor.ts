import { OnlyExitCode } from "../../terminal/command-error.ts";
import { type Command, needsPerson } from "../client/command.ts";
import { requireLocal } from "../client/places.ts";

export const doctor: Command = {
  path: ["doctor"],
  summary:
    "Examine this device, even without agent, network or correct time; the last line is the next command to type; exit code 0 if nothing needs doing, otherwise 10",
  examples: [
    { line: "steward doctor", what: "every problem of the device, its meaning, and the line to type" },
    {
      line: "steward doctor --bundle - > /mnt/stick/doctor.tar.gz",
      what: "all of it for someone else to read, written to another disk",
    },
  ],
  options: [
    {
      name: "bundle",
      value: "FILE",
      summary:
        "write a .tar.gz with the findings, logs and settings, but no secrets or user names; - is standard output",
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
