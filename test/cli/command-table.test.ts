import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../lab/basics/counts.ts";
import { parts, tableFor, wholeTable } from "../../src/cli/command-table.ts";
import type { CommandTable } from "../../src/terminal/commands/command.ts";
import { readRequest, splitLine } from "../../src/terminal/commands/command-line.ts";

const whole = await wholeTable();

/** Everything that running the line depends on. */
function reading(argv: readonly string[], table: CommandTable) {
  const line = splitLine(argv, table);
  const given = line.given.map(({ name, value }) => [name, value]);
  try {
    const request = readRequest(line, table);
    return request.kind === "command"
      ? { ...request, command: request.command.path, words: line.words, given }
      : request;
  } catch (error) {
    return String(error);
  }
}

describe("the parts of the table of commands", () => {
  it("are named by the first words of their commands", async () => {
    for (const { words, load } of parts) {
      const firsts = (await load()).map(({ path }) => path[0] ?? "");
      assert.deepEqual([...new Set(firsts)].sort(), [...words].sort());
    }
    const words = parts.flatMap((part) => part.words);
    assert.deepEqual(words, [...new Set(words)]);
  });

  it("are the only commands that are loaded for a line which names one of them", async () => {
    const { commands } = await tableFor(["--socket", "/run/token", "user", "list", "-o", "json"]);
    assert.ok(commands.length < whole.commands.length / 2);
    assert.ok(commands.every(({ path }) => path[0] === "user"));
  });

  it("have the commands that work on the state itself where no agent runs", () => {
    const others = whole.commands.filter((command) => !command.isHidden && !("worksOffline" in command));
    assert.equal(
      others
        .map(({ path }) => path.join(" "))
        .sort()
        .join(", "),
      "backup, completion, doctor, hash-password, help, host-file check, host-file restore, notify list, notify secret, " +
        "notify test, product event, product need, product ok, seal, serve, setup-token, state list, state reset, state restore, state show, status, time probe, " +
        "tls disable, tls enable, tls install, tls reload, tls request, token prepare, update abort, update apply, " +
        "update confirm, update rollback, update trust install, user 2fa disable, user 2fa enable, user 2fa recover, " +
        "user 2fa recovery-codes, user 2fa setup, version",
    );
  });

  it("read each line as the whole table does", async () => {
    const options = [...whole.globalOptions, ...whole.commands.flatMap((command) => command.options)];
    const words = [
      ...whole.commands.flatMap(({ path, aliases = [] }) => [...path, ...aliases]),
      ...options.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]),
      ...options.flatMap(({ name, values = ["user"] }) => `--${name}=${values[0]}`),
      ...["anna", "5", "-", "--", "-x", "--nothing", "json", "usr"],
    ];
    const paths = whole.commands.map(({ path }) => [...path]);
    const line = fc
      .tuple(
        fc.array(fc.constantFrom(...words), { maxLength: 2 }),
        fc.oneof(fc.constantFrom(...paths), fc.constant([])),
        fc.array(fc.constantFrom(...words), { maxLength: 3 }),
      )
      .map((pieces) => pieces.flat());
    await fc.assert(
      fc.asyncProperty(line, async (argv) => {
        assert.deepEqual(reading(argv, await tableFor(argv)), reading(argv, whole));
      }),
      runs({ usual: 2_000, all: 20_000 }),
    );
  });
});
