import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wholeTable } from "../../../src/cli/command-table.ts";
import { CommandError } from "../../../src/terminal/command-error.ts";
import { readRequest, splitLine } from "../../../src/terminal/commands/command-line.ts";

const commandTable = await wholeTable();
const { commands } = commandTable;

function read(line: string) {
  const split = splitLine(line.split(" ").filter(Boolean), commandTable);
  return { request: readRequest(split, commandTable), options: split.options };
}

function commandOf(line: string): string {
  const { request } = read(line);
  assert.equal(request.kind, "command");
  return request.kind === "command"
    ? [request.command.path.join(" "), ...request.positionals].join(" | ")
    : "";
}

describe("readRequest", () => {
  describe("when the line is wrong", () => {
    const mistakes: [line: string, message: RegExp][] = [
      ["", /A command is missing[\s\S]*user add NAME/],
      ["user", /A command is missing[\s\S]*user add NAME/],
      ["usr list", /no command "usr"; did you mean "user"\?[\s\S]*Usage: steward COMMAND/],
      ["user lsit", /no command "user lsit"; did you mean "list"\?[\s\S]*Usage: steward user COMMAND/],
      ["user add", /NAME is missing[\s\S]*Usage: steward user add NAME \[--role admin\|operator\|readonly\]/],
      ["user list anna", /"anna" is one argument too many/],
      ["user add anna --rol admin", /has no option --rol; did you mean "--role"\?/],
      ["user show anna --role admin", /"steward user show" has no option --role/],
      ["user add anna -x", /has no option -x/],
      ["user add anna --role", /--role needs a value/],
      ["user add anna --role --disabled", /--role needs a value/],
      ["user add anna --role=root", /--role is one of admin, operator, readonly, not "root"/],
      ["user add anna --disabled=yes", /--disabled is a switch and takes no value/],
      ["user list -o xml", /-o is one of table, json, not "xml"/],
      ["user add anna --password-stdin --generate", /--password-stdin and --generate exclude each other/],
      ["user list --socket /s --url https://a", /--socket and --url exclude each other/],
      ["completion tcsh", /SHELL is one of bash, zsh, fish, not "tcsh"/],
      ["time reselect --force", /"steward time reselect" has no option --force/],
      ["events --follow --verify", /--follow and --verify exclude each other/],
      ["user add anna --password secret-words", /has no option --password/],
      ["doctor --bundle -o json", /--bundle needs a value/],
      ["help user ad", /There is no command "user ad"; did you mean "add"/],
      ["help user add anna", /There is no command "user add anna"/],
    ];
    for (const [line, message] of mistakes) {
      it(`refuses "steward ${line}" as a usage error that names the mistake`, () => {
        assert.throws(
          () => read(line),
          (error) => error instanceof CommandError && error.exitCode === 2 && message.test(error.message),
        );
      });
    }
  });

  const json = { output: ["json"], quiet: ["true"], role: ["admin"] };
  for (const [line, command, given] of [
    ["-o json --quiet user list --role admin", "user list", json],
    ["user list --role admin --quiet --output=json", "user list", json],
    ["user set anna --display-name=-x-", "user set | anna", { "display-name": ["-x-"] }],
    [
      "token add --scope logs:read --name x --scope=system:read",
      "token add",
      { scope: ["logs:read", "system:read"] },
    ],
    ["token add --scope logs:read", "token add", { user: [] }],
    // A hyphen is a value, which means standard output.
    ["doctor --bundle -", "doctor", { bundle: ["-"] }],
    ["user show -- --help", "user show | --help", {}],
    ["user delete anna", "user rm | anna", {}],
    ["user modify anna --role admin", "user set | anna", { role: ["admin"] }],
    ["system modify device.name=x", "system set | device.name=x", {}],
  ] as const)
    it(`reads "${line}" as ${command}`, () => {
      const { options } = read(line);
      assert.equal(commandOf(line), command);
      for (const [name, values] of Object.entries(given))
        if (name === "quiet") assert.ok(options.has(name));
        else assert.deepEqual(options.texts(name), values);
    });

  describe("when help is asked for", () => {
    const helpOf = (line: string): string => {
      const { request } = read(line);
      return request.kind === "help" ? request.text : assert.fail(request.kind);
    };

    it("lists every command at the top", () => {
      for (const { path, isHidden } of commands)
        assert.equal(
          new RegExp(`^  ${path.join(" ")}\\b`, "m").test(helpOf("--help")),
          !isHidden,
          path.join(" "),
        );
    });

    it("is the same behind `help` as with --help, for a command, a group and the whole", () => {
      for (const words of ["user add", "user", "user 2fa", ""])
        assert.equal(helpOf(`help ${words}`), helpOf(`${words} --help`));
    });

    const parts: readonly (readonly [line: string, ...parts: RegExp[]])[] = [
      ["--help", /^Updates:\n {2}update status/m, /^Examples:\n {2}steward user add anna/m],
      ["--help", /^Exit codes:$[\s\S]*^ {2}9 {4}clock not synchronised$/m],
      ["help user rescue", /^Examples:\n {2}steward user rescue anna --dry-run/m],
      ["state --help", /^ {2}state restore NAME {2,}\S/m, /^(?![\s\S]*user add)/],
      // Although an argument is missing.
      ["user rm --help", /^Usage: steward user rm NAME/, /Also: steward user delete\./, /--token-file FILE/],
    ];
    for (const [line, ...all] of parts)
      it(`has at ${line} ${all.map(String).join(" and ")}`, () => {
        for (const one of all) assert.match(helpOf(line), one);
      });
  });
});

describe("the command table", () => {
  it("gives an option's name the same meaning in every command, as the parser needs it", () => {
    const options = [...commandTable.globalOptions, ...commands.flatMap((command) => command.options)];
    for (const { name, value, short } of options) {
      for (const other of options.filter((candidate) => candidate.name === name)) {
        assert.deepEqual([value === undefined, short], [other.value === undefined, other.short], `--${name}`);
      }
    }
  });

  it("has every command that this version promises", () => {
    const expected =
      "apply, backup, completion, doctor, events, factory-reset, hash-password, help, history, host-file check, host-file restore, logs, notify list, notify secret, notify test, power-off, product event, product need, product ok, reboot, restore, seal, seal-key, serve, " +
      "setup-token, state accept, state list, state reset, state restore, state show, status, system facts, system get, " +
      "system host-name, system schema, system set, system time-zone, time floor reset, time floor show, time probe, time reselect, time set, time status, time sync, tls disable, tls enable, tls fingerprint, tls install, tls reload, tls request, tls show, token add, token list, token prepare, token resume, token rm, token rotate, " +
      "update abort, update apply, update check, update confirm, update dismiss, update history, update postpone, update rollback, update status, update trust confirm, update trust install, update trust show, user 2fa disable, user 2fa enable, " +
      "user 2fa recover, user 2fa recovery-codes, user 2fa reset, user 2fa setup, user 2fa status, " +
      "user add, user diagnose, user disable, user enable, user list, user passwd, user rescue, user rm, " +
      "user sessions list, user sessions revoke, " +
      "user set, user show, user unlock, version";
    assert.equal(
      commands
        .filter(({ isHidden }) => !isHidden)
        .map(({ path }) => path.join(" "))
        .sort()
        .join(", "),
      expected,
    );
  });
});
