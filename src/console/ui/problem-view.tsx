import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { explanation } from "../client/explanations.ts";
import { Cancelled, codeOf, Fault, ProblemError, Unreachable, Unsent } from "../client/problem.ts";
import { createStore, useStore } from "../store.ts";
import { problemName } from "./by-code.ts";
import type { Titled } from "./page.tsx";
import { Shape } from "./shape.tsx";

interface ProblemProps {
  readonly error: unknown;
  /** Replaces the catalogue's advice where the page knows better. */
  readonly advice?: string | undefined;
  /** Reads again after a failure. Several readings that failed alike are shown as one, which retries them all. */
  readonly onRetry?: (() => void) | undefined;
  /** True: nothing was read before, so that a place whose problem is explained elsewhere says that it is empty. */
  readonly isEmpty?: boolean | undefined;
  /** True: a button that sends it again is below. */
  readonly isForm?: boolean;
}

/** Explains a problem: the event, its cause, and the one button that leads to a remedy. */
export function ProblemView({ error, ...rest }: ProblemProps) {
  if (error === null || error === undefined || error instanceof Cancelled) return null;
  return rest.onRetry ? (
    <ReadingProblem error={error} {...rest} onRetry={rest.onRetry} />
  ) : (
    <Explained error={error} {...rest} />
  );
}

/** The problem of readings that failed, with a button that reads them again. */
export function ReadProblem({
  of,
}: {
  readonly of: readonly { value?: unknown; error: unknown; reload(): Promise<void> }[];
}) {
  const failed = of.filter(({ error }) => error !== null);
  const retry = () => failed.forEach((one) => void one.reload());
  const isEmpty = of.length === 1 && of[0]?.value === null;
  return <ProblemView error={failed[0]?.error} isEmpty={isEmpty} onRetry={retry} />;
}

/** A page explains the same failure once; its other places only say that nothing was read. */
function ReadingProblem({
  error,
  onRetry,
  isEmpty,
  ...rest
}: ProblemProps & { readonly onRetry: () => void }) {
  const { isFirst, all } = useOnce(codeOf(error) ?? titleOf(error), onRetry);
  if (!isFirst) return isEmpty ? <p class="hint">{t.problem.notRead}</p> : null;
  return <Explained error={error} {...rest} onRetry={() => all().map((retry) => retry())} />;
}

function Explained({ error, isEmpty: _, ...rest }: ProblemProps) {
  const Explanation = useStore(explanation);
  if (!(error instanceof ProblemError)) return <UnknownProblem error={error} {...rest} />;
  const { code, title, detail, reason, request_id } = error.problem;
  const advice = reason === "binding" ? t.binding : rest.advice;
  return (
    <ProblemBox title={problemName(code) ?? title}>
      {Explanation ? <Explanation {...rest} code={code} advice={advice} /> : advice && <p>{advice}</p>}
      <details>
        <summary>{t.problem.technical}</summary>
        {/* The agent's own words are English. */}
        <p lang="en">{detail}</p>
        {request_id !== "" && (
          <p>
            {t.problem.request} <code>{request_id}</code>
          </p>
        )}
      </details>
    </ProblemBox>
  );
}

/** The device did not answer, or the page itself has failed. */
function UnknownProblem({ error, onRetry = () => location.reload() }: ProblemProps) {
  const { title, text } = wordsOf(error);
  const isSilent = error instanceof Unreachable;
  return (
    <ProblemBox title={title}>
      {text && <p>{text}</p>}
      {isSilent && error.isWrite && <p>{t.problem.perhaps}</p>}
      {isSilent && !error.isWrite && !(error instanceof Unsent) && (
        <div class="buttons">
          <button type="button" class="button plain" onClick={onRetry}>
            {t.ui.again}
          </button>
        </div>
      )}
      {!isSilent && (
        <details>
          <summary>{t.problem.technical}</summary>
          <p lang="en">{String((error instanceof Fault && error.cause) || error)}</p>
        </details>
      )}
    </ProblemBox>
  );
}

function wordsOf(error: unknown): NonNullable<ReturnType<Fault["words"]>> {
  const { unsent, foreign, silent, unexpected } = t.problem.faults;
  if (!(error instanceof Unreachable)) return (error instanceof Fault && error.words()) || unexpected;
  if (error instanceof Unsent) return unsent;
  return error.isForeign ? foreign : silent;
}

export function ProblemBox({ title, children }: Omit<Titled, "action">) {
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

export function titleOf(error: unknown): string {
  return error instanceof ProblemError
    ? (problemName(error.problem.code) ?? error.problem.title)
    : wordsOf(error).title;
}

interface Teller {
  readonly key: string;
  retry: () => void;
}

/** The callers on the page that would say something, in the order of their coming. */
const tellers = createStore<readonly Teller[]>([]);

/** True for the first of all callers with the same key; with the retries of all of them. */
function useOnce(key: string, retry: () => void): { isFirst: boolean; all: () => (() => void)[] } {
  const own = useRef<Teller | null>(null);
  useLayoutEffect(() => {
    const teller = { key, retry };
    own.current = teller;
    tellers.set([...tellers.read(), teller]);
    return () => tellers.set(tellers.read().filter((one) => one !== teller));
  }, [key]);
  useEffect(() => {
    if (own.current) own.current.retry = retry;
  });
  const alike = useStore(tellers).filter((one) => one.key === key);
  return { isFirst: alike[0] === own.current, all: () => alike.map((one) => one.retry) };
}
