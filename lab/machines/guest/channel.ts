import { execFileSync } from "node:child_process";
import { createReadStream, openSync, statSync, writeSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Answer, Message } from "../messages.ts";

/** Says things to the host, and asks it. */
export interface Channel {
  send(message: Message): void;
  /** Sends one that is answered, and returns what the host made of it; one at a time. */
  ask(message: Message & { kind: "begin" | "ask" }): Promise<unknown>;
}

/** Opens the way to the host: a virtual machine's second serial port, or a container's unix socket. */
export function openChannel(path: string): Channel {
  const { input, write } = statSync(path).isSocket() ? overSocket(path) : overSerialPort(path);
  let answers: AsyncIterator<string> | undefined;
  const send = (message: Message): void => write(`${JSON.stringify(message)}\n`);
  return {
    send,
    ask: async (message) => {
      answers ??= createInterface({ input: input() })[Symbol.asyncIterator]();
      send(message);
      const { value } = await answers.next();
      const answer = JSON.parse(String(value)) as Answer;
      if (answer.error !== undefined) {
        const what = message.kind === "ask" ? message.name : message.kind;
        throw new Error(`the host could not "${what}": ${answer.error}`);
      }
      return answer.value;
    },
  };
}

interface Ends {
  readonly input: () => Readable;
  readonly write: (text: string) => void;
}

function overSocket(path: string): Ends {
  const socket = connect(path);
  return { input: () => socket, write: (text) => socket.write(text) };
}

function overSerialPort(path: string): Ends {
  execFileSync("stty", ["-F", path, "raw", "-echo"]);
  const descriptor = openSync(path, "w");
  return { input: () => createReadStream(path), write: (text) => writeSync(descriptor, text) };
}
