import { connect } from "node:net";
import { type ErrorCode, errorCodes } from "../../contract/error-codes.ts";
import { messageOf, requireSocketPath, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { objectIn } from "../../contract/text/json-of.ts";
import { CommandError, UsageError } from "../../terminal/command-error.ts";
import type { Command } from "../client/command.ts";

const usualSocket = "/run/steward-product/socket";

/** Milliseconds: the agent answers within some; where it asks root on a slow device, within 15 s. */
const patienceMilliseconds = 20_000;

/** Characters: the agent's answer is a sentence. */
const mostAnswerCharacters = 4_096;

const socketOption = {
  name: "product-socket",
  value: "PATH",
  summary: `the socket for the product's reports (STEWARD_PRODUCT_SOCKET, else ${usualSocket})`,
} as const;
const numbersWord = { name: "NAME=NUMBER", isOptional: true, isRepeated: true } as const;

function report(verb: string, summary: string, line: string, what: string): Command {
  return {
    path: ["product", verb],
    summary,
    positionals: [{ name: "CODE" }, ...(verb === "ok" ? [] : [numbersWord])],
    options: [socketOption],
    examples: [{ line: `steward product ${verb} ${line}`, what }],
    isWithoutAgent: true,
    async run({ positionals: [code = "", ...given], options, context, output }) {
      const path =
        options.text("product-socket") || context.environment.STEWARD_PRODUCT_SOCKET || usualSocket;
      requireSocketPath(path, "--product-socket PATH");
      const numbers = given.length > 0 ? Object.fromEntries(given.map(numberIn)) : undefined;
      const text = await exchange(path, `${JSON.stringify({ [verb]: code, numbers })}\n`);
      const answer = objectIn(text) ?? {};
      if (isErrorCode(answer.code)) throw new StewardError(answer.code, String(answer.detail));
      if (answer.status !== "taken") throw unheard(path, "it has not answered, or not as Steward does");
      await output.changed(answer, "Steward has taken it.");
    },
  };
}

function numberIn(text: string): [string, number] {
  const [name = "", value = ""] = text.split(/=(.*)/s);
  if (name !== "" && value.trim() !== "" && Number.isFinite(Number(value))) return [name, Number(value)];
  throw new UsageError(
    `"${text}" is no name with a number: write it as bar=1.2, with a point in the number and no unit.`,
  );
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === "string" && Object.hasOwn(errorCodes, code);
}

/** Sends the line and returns the first line of the answer. Throws CommandError(8). */
async function exchange(path: string, line: string): Promise<string> {
  const connection = connect(path).setEncoding("utf8");
  connection.setTimeout(patienceMilliseconds, () => connection.destroy(new Error("no answer")));
  connection.write(line);
  let answer = "";
  try {
    for await (const text of connection) {
      answer += text;
      if (answer.includes("\n") || answer.length > mostAnswerCharacters) break;
    }
  } catch (error) {
    throw unheard(path, systemErrorCode(error) ?? messageOf(error));
  }
  return answer.split("\n", 1)[0] ?? "";
}

function unheard(path: string, why: string): CommandError {
  const text = `Steward does not listen to the product at ${path} (${why}). Either it is not running (systemctl status steward), or the host file names no product.units: add them, and restart Steward.`;
  return new CommandError(8, text);
}

export const productCommands: readonly Command[] = [
  report(
    "event",
    "Report an event of the product, from a process of one of its units",
    "valve_stuck valve=3",
    "a code of product.reports in the host file, with the numbers of its sentence",
  ),
  report(
    "need",
    "Report that the product needs attention; repeat it until `steward product ok`",
    "pressure_low bar=1.2",
    "lasts for the ttl of its code; after that Steward reports that the product is silent",
  ),
  report("ok", "End a need that the product has reported", "pressure_low", "no one needs to do anything"),
];
