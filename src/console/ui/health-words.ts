import type { Health, UpdateProblem } from "../../contract/types.ts";
import { absoluteTime, bytes, pageFormat } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { problemName, type Sentence, sentenceOf } from "./by-code.ts";

type HealthCheck = NonNullable<Health["checks"]>[number];

/** The name of the part of the device that a health check is about. */
export function checkName(name: string): string {
  return t.health.checks[name] ?? name;
}

/** The finding of a health check in words. */
export function healthSentence({ name, code, detail, facts }: HealthCheck): Sentence {
  const {
    free_bytes,
    least_bytes,
    parts,
    faults,
    members,
    error = "",
    record = "use",
    complete_since,
  } = facts;
  if (code === "updates_degraded" && facts.problem) return updatesSentence(facts.problem);
  if (Object.hasOwn(t.health.clockFindings, code))
    return sentenceOf(t.health.clockFindings, { code, detail }, facts, pageFormat);
  return sentenceOf(
    t.health.codes,
    { code, detail },
    {
      ...facts,
      free: bytes(free_bytes ?? 0),
      least: bytes(least_bytes ?? 0),
      parts: parts?.join(", "),
      faults: faults?.join("; "),
      members: members?.join(", "),
      record: t.health.records[record] ?? record,
      complete_since: complete_since === undefined ? "–" : absoluteTime(new Date(complete_since)),
      check: checkName(facts.document ?? name),
      problem: problemName(error) ?? error,
    },
  );
}

/** The problem with updates; the page about updates says more. */
export function updatesSentence(problem: UpdateProblem): Sentence {
  const { release } = problem;
  return sentenceOf(t.health.updates, problem, [release?.name, release?.version].filter(Boolean).join(" "));
}
