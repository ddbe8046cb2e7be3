import type { Command } from "../framework/command.ts";
import { kindsOf, kindsPositional, selected } from "./update-apply.ts";

export const postpone: Command = {
  path: ["update", "postpone"],
  summary: "Postpone the automatic application of available releases",
  positionals: [kindsPositional],
  options: [{ name: "for", value: "DURATION", summary: "5m to 30d, such as 12h; 1d if not given" }],
  worksOffline: true,
  async run(invocation) {
    const { options, client, output } = invocation;
    const kind = kindsOf(invocation);
    const duration = options.text("for");
    const body = { kind, ...(duration === undefined ? {} : { for: duration }) };
    const status = await client.call("postponeUpdate", { body });
    const postponed = selected(kind).filter((one) => status.postponed[one] !== null);
    const until = postponed.map((one) => `${one} before ${status.postponed[one]}`);
    await output.changed(
      status,
      `Not applied automatically: ${until.join(", ")}. \`steward update apply\` applies them anyway.`,
    );
  },
};
