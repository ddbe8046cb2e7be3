import type { InputError } from "../../contract/errors.ts";
import type { Settings } from "../../contract/types.ts";

type Receiver = Settings["notify"]["receivers"][number];

const list = "/notify/receivers";

/** The members of mail and of all other kinds besides those of both, and whether it can do without. */
const membersOf = {
  webhook: { url: "needed" },
  mail: {
    ...{ server: "needed", port: "needed", security: "needed" },
    ...{ username: "optional", from: "needed", to: "needed" },
  },
} as const satisfies Record<string, Partial<Record<keyof Receiver, "needed" | "optional">>>;

/** The receivers of `telemetry` in the host file are called so. */
const rootsNames: readonly string[] = ["otlp", "syslog"];

const common: readonly string[] = ["name", "kind", "takes"];

/** The faults of the receivers that no schema can say: members by kind, and names that are used twice. */
export function receiverErrors(receivers: readonly Receiver[]): InputError[] {
  const names = receivers.map(({ name }) => name);
  return receivers.flatMap((receiver, index) => {
    const place = `${list}/${index}`;
    const repeated: InputError[] = names.slice(0, index).includes(receiver.name)
      ? [{ pointer: `${place}/name`, code: "uniqueItems", detail: "is the name of a receiver before" }]
      : [];
    const reserved: InputError[] = rootsNames.includes(receiver.name)
      ? [
          {
            pointer: `${place}/name`,
            code: "not_allowed",
            detail: "is the name of a receiver of the host file",
          },
        ]
      : [];
    return [...repeated, ...reserved, ...memberErrors(receiver, place)];
  });
}

function memberErrors(receiver: Receiver, place: string): InputError[] {
  const members: Readonly<Record<string, string>> = membersOf[receiver.kind === "mail" ? "mail" : "webhook"];
  const missing = Object.keys(members).filter((name) => members[name] === "needed" && !(name in receiver));
  const others = Object.keys(receiver).filter((name) => !(name in members) && !common.includes(name));
  return [
    ...missing.map((name) => ({ pointer: `${place}/${name}`, code: "required", detail: "is missing" })),
    ...others.map((name) => ({
      pointer: `${place}/${name}`,
      code: "unknown_field",
      detail: `is not a member of a receiver of the kind ${receiver.kind}`,
    })),
  ];
}
