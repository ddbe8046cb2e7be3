import type { ComponentChildren } from "preact";
import { language, t } from "../catalogue/words.ts";
import { Cancelled, ProblemError, Unreachable } from "../client/problem.ts";
import { problemName } from "./by-code.ts";
import { Shape } from "./shape.tsx";

/** A problem in the person's words, with the request's id, by which the log names it. */
export function ProblemView({
  error,
  advice,
  isBrief = false,
}: {
  readonly error: unknown;
  /** What to do, where the page knows it better than the agent's detail says it. */
  readonly advice?: string | undefined;
  /** The particulars stand at a field already. */
  readonly isBrief?: boolean;
}) {
  if (error === null || error === undefined || error instanceof Cancelled) return null;
  const { title, detail, isForeign, requestId } = inWords(error);
  return (
    <ProblemBox title={title}>
      {advice && <p>{advice}</p>}
      {detail !== "" && !isBrief && !isForeign && <p class={advice && "hint"}>{detail}</p>}
      {detail !== "" && !isBrief && isForeign && (
        <details>
          <summary>{t.problem.technical}</summary>
          <p lang="en">{detail}</p>
        </details>
      )}
      {requestId !== "" && (
        <p class="hint">
          {t.problem.request} <code>{requestId}</code>
        </p>
      )}
    </ProblemBox>
  );
}

/** The box that a problem is told in. */
export function ProblemBox({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="problem" role="alert">
      <Shape name="wrong" />
      <div>
        <p class="problem-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

interface Words {
  readonly title: string;
  readonly detail: string;
  /** The detail is the agent's, which is English, and the title says it in the language that is spoken. */
  readonly isForeign: boolean;
  readonly requestId: string;
}

/** The catalogue's words for the code where it has some, else the agent's own. */
export function inWords(error: unknown): Words {
  if (error instanceof Unreachable) return { ...t.problem.unreachable, isForeign: false, requestId: "" };
  if (!(error instanceof ProblemError))
    return {
      title: t.problem.unexpected,
      detail: error instanceof Error ? error.message : "",
      isForeign: false,
      requestId: "",
    };
  const { code, title, detail, reason, request_id } = error.problem;
  const name = problemName(code);
  const isOurs = reason === "binding";
  return {
    title: name ?? title,
    detail: isOurs ? t.problem.binding : detail,
    isForeign: name !== null && language !== "en" && !isOurs,
    requestId: request_id,
  };
}
