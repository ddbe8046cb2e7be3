import { spawn } from "node:child_process";
import type { Filter, StartFilter } from "../ports.ts";
import { systemPath } from "./commands.ts";

/** Characters kept of standard error, the last ones. */
const complaintCharacters = 4_096;

/** Starts programs of the system without a shell, in the C locale, with PATH as their only other variable. */
export function createStartFilter(options: { path?: string } = {}): StartFilter {
  const env = { PATH: options.path ?? systemPath, LC_ALL: "C" };
  return (program, args) => {
    const child = spawn(program, [...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    let complaint = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(-complaintCharacters);
    });
    // EPIPE: it has ended, and says itself why.
    child.stdin.on("error", () => undefined);
    const ended: Filter["ended"] = new Promise((resolve) => {
      child.once("error", ({ message }) => resolve({ status: null, complaint: message }));
      child.once("close", (status) => resolve({ status, complaint }));
    });
    return { input: child.stdin, output: child.stdout, ended, stop: () => void child.kill("SIGKILL") };
  };
}
