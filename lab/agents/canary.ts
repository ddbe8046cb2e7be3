import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, CallOptions } from "./running-agent.ts";

const secretMembers = [
  ...["password", "current_password", "new_password", "initial_password", "setup_token", "token"],
  ...["refresh_token", "refresh_binding", "access_token", "challenge_token", "secret", "otpauth_uri"],
  ...["qr_svg", "recovery_code", "recovery_codes"],
];

/** No body of the contract nests deeper; those of an attack may nest deeper than a stack. */
const deepest = 4;

/** Counts and times are lines of bare numbers there, one of which may be like a code. */
const filesOfNumbers = ["attempts.json", "attempts.json.good"];

/** Passwords, tokens, secrets and codes that an agent was sent or has issued. Tests look for them where none may be. */
export function createCanary() {
  /** Each has at least ten characters: shorter ones occur by chance, also in honest sentences. */
  const secrets = new Set<string>();
  /** Six digits, which are looked for as words of their own. */
  const codes = new Set<string>();
  const bodies = new Set<string>();
  const remember = (text: string): void => {
    if (text.length < 10) return;
    secrets.add(text);
    // A line of JSON has it in this form.
    secrets.add(JSON.stringify(text).slice(1, -1));
  };
  const collect = (value: unknown, depth = 0): void => {
    const parsed = typeof value === "string" ? parsedOrNot(value) : value;
    if (typeof parsed !== "object" || parsed === null || depth > deepest) return;
    for (const [name, member] of Object.entries(parsed)) {
      if (name === "code" && depth === 0) rememberCode(codes, member);
      else if (!secretMembers.includes(name)) collect(member, depth + 1);
      else for (const text of [member].flat()) for (const form of formsOf(name, text)) remember(form);
    }
  };
  /** Throws, without repeating it, when one of them occurs in the text. */
  const assertNotIn = (text: string, where: string): void => {
    assertWithout(secrets, text, where);
    assert.ok(!wordsOf(codes).test(text), `${where} has a code`);
  };
  return {
    secrets: secrets as ReadonlySet<string>,
    codes: codes as ReadonlySet<string>,
    sent: ({ token, headers = {}, body }: CallOptions): void => {
      if (token !== undefined) remember(token);
      remember(/^Bearer (.*)$/i.exec(headers.authorization ?? "")?.[1] ?? "");
      rememberCookies(headers.cookie, remember);
      collect(body);
    },
    /** Remembers the secrets in an answer, and the answer where it may hold none. */
    received: (method: string, { status, headers, json, text }: Answer): void => {
      for (const line of [headers["set-cookie"] ?? []].flat()) rememberCookies(line.split(";")[0], remember);
      if (status >= 400) remember(String(json?.challenge_token ?? ""));
      else if (method === "POST") collect(json);
      else bodies.add(text);
    },
    assertNotIn,
    /** The same, of everything that was ever read from the agent. */
    assertNotInBodies: () => assertNotIn([...bodies].join("\n"), "what was read from the agent"),
    /** The same, of every file of a state directory: documents, their good copies, events, the agent's own lines. */
    assertNotInState: (directory: string): void => {
      for (const path of filesUnder(directory)) {
        const text = readFileSync(join(directory, path), "utf8");
        if (filesOfNumbers.includes(path)) assertWithout(secrets, text, path);
        else assertNotIn(text, path);
      }
    },
  };
}

/** Throws, without repeating it, when one of the secrets occurs in the text. */
export function assertWithout(secrets: ReadonlySet<string>, text: string, where: string): void {
  for (const secret of secrets)
    assert.ok(!text.includes(secret), `${where} has a secret of ${secret.length}`);
}

/**
 * Reads the process's arguments, which everybody on its machine sees, and its environment, which its own user sees.
 * Empty when it is gone.
 */
export function shownByProcess(pid: number | undefined): string {
  return ["cmdline", "environ"].map((name) => readOrEmpty(`/proc/${pid}/${name}`)).join("\n");
}

/** A recovery code is one with its hyphens and without. */
function formsOf(name: string, text: unknown): string[] {
  const form = String(text);
  return name.startsWith("recovery_code") ? [form, form.replaceAll("-", "")] : [form];
}

/** Never in a longer word or number, and no member's bare number: sizes and times are no codes. */
function wordsOf(codes: ReadonlySet<string>): RegExp {
  if (codes.size === 0) return /(?!)/;
  return new RegExp(`(?<![\\w.+-]|":)(?:${[...codes].join("|")})(?![\\w-]|\\.\\d)`);
}

function rememberCode(codes: Set<string>, member: unknown): void {
  const digits = String(member).replace(/[\s-]/g, "");
  if (/^[0-9]{6}$/.test(digits)) codes.add(digits);
}

function rememberCookies(header: string | undefined, remember: (text: string) => void): void {
  for (const pair of (header ?? "").split(";")) remember(pair.slice(pair.indexOf("=") + 1).trim());
}

/** The reserve holds nothing but its size. */
function filesUnder(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== ".reserve")
      .map(({ parentPath, name }) => join(parentPath, name).slice(directory.length + 1));
  } catch {
    return [];
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function parsedOrNot(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
