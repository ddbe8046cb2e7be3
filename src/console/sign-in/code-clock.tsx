import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { ProblemError } from "../client/problem.ts";
import { Banner } from "../ui/page.tsx";

/** Says that a wrong clock may be the reason that a code was refused. */
export function CodeClock({ error }: { readonly error: unknown }) {
  const clock = error instanceof ProblemError ? error.problem.clock : undefined;
  if (clock === undefined || !(clock.skew_suspected || clock.synchronised === false)) return null;
  const time = absoluteTime(new Date(clock.server_time));
  return (
    <Banner state="attention">
      {clock.skew_suspected ? t.signIn.skewSuspected(time) : t.signIn.clockInDoubt(time)}
    </Banner>
  );
}
