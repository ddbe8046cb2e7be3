import { execFileSync } from "node:child_process";
import { createReadStream, openSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Answer, Message } from "../messages.ts";

/** The second serial port, where the host listens. */
const port = "/dev/ttyS1";

/** Says things to the host, and asks it. */
export interface Channel {
  send(message: Message): void;
  ask(name: string): Promise<unknown>;
}

/** Opens the serial port to the host. */
export function openChannel(): Channel {
  execFileSync("stty", ["-F", port, "raw", "-echo"]);
  const descriptor = openSync(port, "w");
  const send = (message: Message): void => {
    writeSync(descriptor, `${JSON.stringify(message)}\n`);
  };
  let answers: AsyncIterator<string> | undefined;
  return {
    send,
    ask: async (name) => {
      answers ??= createInterface({ input: createReadStream(port) })[Symbol.asyncIterator]();
      send({ kind: "ask", name });
      const { value } = await answers.next();
      const answer = JSON.parse(String(value)) as Answer;
      if (answer.error !== undefined) throw new Error(`the host could not "${name}": ${answer.error}`);
      return answer.value;
    },
  };
}
