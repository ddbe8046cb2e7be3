import { describeLack, type KeyHolders } from "../publishing/keys/signing.ts";
import { isReleaseRole } from "../publishing/roles.ts";
import type { Halted, HaltMeans } from "../publishing/rollout/halt.ts";
import { countedWords, type HaltVerdict } from "../publishing/rollout/halt-rule.ts";
import type { LogFigures, ReleaseFigures } from "../publishing/rollout/tally.ts";
import { escapeText } from "../terminal/escape.ts";
import { formatTable } from "../terminal/table.ts";

/** The signed text of a withdrawal has this sentence, and people read it. */
export function reasonOf(release: ReleaseFigures): string {
  return `${countedWords(release)}, as the access log says`;
}

/** Says how the roll-out was stopped, and the line to type next. */
export function haltLines(
  { release, published, lacking, hasOtherChanges }: Halted,
  means: HaltMeans,
  { directory, owners }: KeyHolders,
) {
  const { kind, version } = release;
  const what = `${kind} ${release.name} ${version}`;
  const verb = means === "pause" ? "paused" : "withdrawn";
  const why = `${what}: ${reasonOf(release)}.`;
  if (published !== null)
    return [
      why,
      `It is ${verb}, and published in ${directory}/public. Upload that: targets/ first, and at the end ${published.last.map((one) => `metadata/${one}`).join(" and then ")}.`,
      ...(means === "pause"
        ? [
            `To continue later: steward-publisher resume ${directory} --kind ${kind} --name ${release.name} --release ${version}`,
            `Devices repeat what they reported: from then on, watch it with --min-devices above ${release.undone}.`,
          ]
        : []),
      ...published.remarks,
    ];
  return [
    why,
    `It is ${verb} in the draft of ${kind}, and NOT published:`,
    ...(hasOtherChanges
      ? [
          `the draft had other changes before. Read it, then: steward-publisher publish ${directory} --only ${kind}`,
        ]
      : []),
    ...(isReleaseRole(kind) && lacking.length > 0
      ? [describeLack(kind, lacking, { directory, owners })]
      : []),
  ];
}

/** The releases, and what the log consists of. */
export function tableOf(figures: readonly ReleaseFigures[], log: LogFigures): string {
  const { lines, silent: requests, malformed, unreadable, foreign, beyond_limit, newest_at } = log;
  const table = formatTable({
    heads: [
      "RELEASE",
      "PRODUCT",
      "ON OFFER IN",
      "OFFERED",
      "STAGED",
      "TRIAL",
      "GOOD",
      "UNDONE",
      "REFUSED",
      "SILENT",
      "SHARE",
    ],
    rows: figures.map(
      ({ kind, version, product, channels, states, undone, silent, undone_percent, ...one }) => [
        `${kind} ${one.name} ${version}`,
        product,
        channels,
        states.offered,
        states.staged,
        states.trial,
        states.good,
        undone,
        states.refused,
        silent,
        undone_percent === null ? "-" : `${undone_percent} %`,
      ],
    ),
  });
  const others = [
    `${lines} lines`,
    `${requests} without a report`,
    `${malformed} malformed`,
    `${unreadable} unreadable reports`,
    `${foreign} of other releases`,
    ...(newest_at === null ? [] : [`the newest of ${newest_at}`]),
    ...(beyond_limit > 0 ? [`${beyond_limit} beyond the number of devices that are kept`] : []),
  ];
  return `${table}${others.join(", ")}\n`;
}

/**
 * Says why each roll-out goes on, so that a watch that stops nothing is never silent about it. `null`: nothing is to be
 * stopped.
 */
export function verdictLines(verdicts: readonly HaltVerdict[] | null, log: LogFigures): string {
  const { lines, silent, malformed, unreadable } = log;
  const going = verdicts?.filter(({ halts }) => !halts) ?? [];
  return [
    ...(lines > 0 && lines === silent + malformed + unreadable
      ? ["No line has a report that can be read. Does the server log the header Steward-Report?"]
      : []),
    ...(verdicts?.length === 0 ? ["No newest release is on offer, so nothing can be stopped."] : []),
    ...going.flatMap(({ release, why }) => [
      `${release.kind} ${release.name} ${release.version} goes on: ${why}.`,
      ...silenceLines(release),
    ]),
  ]
    .map((line) => `${escapeText(line)}\n`)
    .join("");
}

function silenceLines({ silent, counts_silent }: ReleaseFigures): readonly string[] {
  if (!silent || counts_silent) return [];
  return [
    `  ${silent} that had it, or could begin it, ${silent === 1 ? "has" : "have"} not reported since. To count them as undone: --silent-after 24h`,
  ];
}
