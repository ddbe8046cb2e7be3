import { connect } from "node:net";
import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import { requireSocketPath, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import { CommandError, UsageError } from "../../terminal/command-error.ts";
import type { Command, Invocation } from "../client/command.ts";

const usualSocket = "/run/steward-product/socket";

/** Milliseconds: the agent answers within some, a busy device within a second or two. */
const patienceMilliseconds = 10_000;

/** Characters: the agent's answer is a sentence. */
const mostAnswerCharacters = 4_096;

const options: NonNullable<Command["options"]> = [
  {
    name: "product-socket",
    value: "PATH",
    isFile: true,
    summary: `the socket for the product's reports (STEWARD_PRODUCT_SOCKET, else ${usualSocket})`,
  },
];

function report(verb: "event" | "need" | "ok", summary: string, example: [string, string]): Command {
  const [line, what] = example;
  const numbers = { name: "NAME=NUMBER", isOptional: true, isRepeated: true } as const;
  return {
    path: ["product", verb],
    summary,
    positionals: [{ name: "CODE" }, ...(verb === "ok" ? [] : [numbers])],
    options,
    examples: [{ line, what }],
    isWithoutAgent: true,
    async run({ positionals: [code = "", ...given], options, context, output }: Invocation) {
      const path =
        options.text("product-socket") || context.environment.STEWARD_PRODUCT_SOCKET || usualSocket;
      requireSocketPath(path, "--product-socket PATH");
      const numbers = Object.fromEntries(given.map(numberIn));
      const answer = await say(path, { [verb]: code, ...(given.length > 0 && { numbers }) });
      await output.changed(answer, "Steward has taken it.");
    },
  };
}

function numberIn(text: string): [string, number] {
  const [name = "", value = ""] = text.split(/=(.*)/s);
  const number = Number(value);
  if (name !== "" && value.trim() !== "" && Number.isFinite(number)) return [name, number];
  throw new UsageError(
    `"${text}" is no name with a number: write it as bar=1.2, with a point in the number and no unit.`,
  );
}

/** Returns the agent's answer. Throws its refusal, and CommandError(8) where there is none. */
async function say(path: string, message: object): Promise<object> {
  const answer = objectIn(await exchange(path, `${JSON.stringify(message)}\n`));
  if (answer?.status === "taken") return answer;
  if (answer?.status === "refused" && isErrorCode(answer.code))
    throw new StewardError(answer.code, String(answer.detail));
  throw unheard(path, "it has not answered, or not as Steward does");
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** Sends the line and returns the first line of the answer, or what has come of it. */
function exchange(path: string, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const connection = connect(path, () => connection.write(line)).setEncoding("utf8");
    connection.setTimeout(patienceMilliseconds, () => connection.destroy());
    connection.on("data", (text: string) => {
      answer += text;
      if (answer.includes("\n") || answer.length > mostAnswerCharacters) connection.destroy();
    });
    connection.once("error", (error) => {
      // It has refused, and closed before all was sent.
      if (answer === "") reject(unheard(path, systemErrorCode(error) ?? error.message));
    });
    connection.once("close", () => resolve(answer.split("\n", 1)[0] ?? ""));
  });
}

function unheard(path: string, why: string): CommandError {
  return new CommandError(
    8,
    `Steward does not hear the product at ${path} (${why}). Either it does not run (systemctl status steward), or the host file names no product.units: add them, and restart Steward.`,
  );
}

export const productCommands: readonly Command[] = [
  report("event", "Report an event of the product, from a process of one of its units", [
    "steward product event valve_stuck valve=3",
    "a code of product.reports in the host file, with the numbers of its sentence",
  ]),
  report("need", "Report that the product needs a person, again and again until `steward product ok`", [
    "steward product need pressure_low bar=1.2",
    "lasts for the ttl of its code; after that Steward says that the product has fallen silent",
  ]),
  report("ok", "End a need that the product has reported", [
    "steward product ok pressure_low",
    "no one needs to do anything any more",
  ]),
];
