import type { TimeSource } from "../../contract/types.ts";
import { escapeText } from "../../terminal/escape.ts";
import { formatOffset, formatSpan } from "../../terminal/time-figures.ts";

/** The marks of chronyc, where it has one. */
const marks: Readonly<Record<TimeSource["state"], string>> = {
  selected: "*",
  candidate: "+",
  outlier: "~",
  falseticker: "x",
  suspect: "s",
  unreachable: "?",
  kod: "!",
  unused: ".",
};

/** Places of a host's name: a longer one loses its middle, so that a port stays visible. */
const nameColumns = 28;

/** The sources as a table, each with a second line where there is more to say. Safe in a terminal, ASCII but for the names. */
export function sourceLines(sources: readonly TimeSource[]): string[] {
  if (sources.length === 0) return [];
  const width = Math.max("SOURCE".length, ...sources.map((source) => nameOf(source).length));
  const line = (mark: string, cells: readonly [string, string, string, string, string, string]): string => {
    const [name, stratum, reach, offset, uncertainty, state] = cells;
    const figures = [stratum.padStart(2), reach.padStart(5), offset.padStart(9), uncertainty.padStart(10)];
    return `${mark} ${name.padEnd(width)}  ${figures.join("  ")}  ${state}`;
  };
  return [
    line(" ", ["SOURCE", "ST", "REACH", "OFFSET", "+-", "STATE"]),
    ...sources.flatMap((source) => [
      line(marks[source.state], [
        nameOf(source),
        String(source.stratum ?? "-"),
        source.reach?.toString(8) ?? "-",
        source.offset_seconds === null ? "-" : formatOffset(source.offset_seconds),
        source.uncertainty_seconds === null ? "-" : formatSpan(source.uncertainty_seconds),
        source.state,
      ]),
      ...detailLines(source),
    ]),
  ];
}

/** A second line: the address behind a name, that its time is authenticated, and the reason for the state of the source. */
function detailLines({ host, address, authenticated, reason }: TimeSource): string[] {
  const isNews = address !== null && !host.includes(address);
  const facts = [...(isNews ? [address] : []), ...(authenticated ? ["authenticated"] : [])].join(", ");
  const words = [...(facts === "" ? [] : [facts]), ...(reason === null ? [] : [reason.detail])];
  return words.length === 0 ? [] : [`    ${escapeText(words.join(": "))}`];
}

function nameOf({ host }: TimeSource): string {
  const name = escapeText(host);
  if (name.length <= nameColumns) return name;
  const kept = nameColumns - 3;
  return `${name.slice(0, Math.ceil(kept / 2))}...${name.slice(name.length - Math.floor(kept / 2))}`;
}
