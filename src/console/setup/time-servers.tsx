import { useEffect } from "preact/hooks";
import { type TimeServerEntry, timeServer, withHost, withNts } from "../../contract/clock/time-server.ts";
import { shortDuration } from "../catalogue/formats.ts";
import { t, wordFor } from "../catalogue/words.ts";
import { Badge, type State } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { CheckField, type Edited, TextField } from "../ui/form/field.tsx";
import { errorAt } from "../ui/form/form.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { withMark } from "../ui/time.tsx";
import { Hint } from "./step.tsx";
import { type Found, namedServers, useProbe } from "./use-probe.ts";

/** The agent's own bound. */
const most = 8;

/** The time servers with what each of them says now; they are asked as soon as one has been typed. */
export function TimeServers({
  value: servers,
  onInput,
  error,
  more,
  offered,
}: Edited<readonly TimeServerEntry[]> & {
  /** The servers that another administrator has saved; null: none. */
  readonly more: string | null;
  readonly offered: readonly string[];
  readonly error: unknown;
}) {
  const { found, isBusy, error: failure, ask } = useProbe();
  useEffect(() => ask(servers), []);
  const rows = servers.length === 0 ? [""] : servers;
  const put = (index: number, host: string) =>
    onInput(rows.map((one, at) => (at === index ? withHost(one, host) : one)));
  const named = namedServers(rows);
  const faultOf = (server: TimeServerEntry) => {
    const index = named.findIndex((one) => timeServer(one).host === hostOf(server));
    return errorAt(error, `/time/servers/${index}`) ?? errorAt(failure, `/servers/${index}`);
  };
  const take = (others: readonly TimeServerEntry[]) => {
    onInput(others);
    ask(others);
  };
  return (
    <fieldset class="field setup-servers">
      <legend>{t.firstRun.servers}</legend>
      <div class="hint">
        <Hint text={t.firstRun.serversHint} more={more} />
      </div>
      <ul>
        {rows.map((server, index) => (
          <li key={index} onFocusOut={() => ask(rows)}>
            <TextField
              label={t.firstRun.serverOf(index + 1)}
              value={timeServer(server).host}
              onInput={(value) => put(index, value)}
              error={faultOf(server)}
              spellcheck={false}
              hint={<Answer server={server} found={found} />}
              button={
                rows.length > 1 && (
                  <Button
                    kind="quiet"
                    label={t.firstRun.removeServer(hostOf(server))}
                    onClick={() => take(rows.filter((_, at) => at !== index))}
                  >
                    {t.ui.remove}
                  </Button>
                )
              }
            />
            {isOffered(server, found) && (
              <CheckField
                label={t.firstRun.useAuthenticated(index + 1)}
                value={timeServer(server).nts}
                // NTS is offered at its usual port. A port that was typed is that of the other protocol.
                onInput={(nts) => take(rows.with(index, withNts(hostOf(server).replace(/:\d+$/, ""), nts)))}
              />
            )}
          </li>
        ))}
      </ul>
      <p role="status" aria-live="polite">
        {isBusy ? <Badge state="unknown">{t.firstRun.asking}</Badge> : found && <Sum found={found} />}
      </p>
      {rows.every((server) => faultOf(server) === null) && <ProblemView error={failure} />}
      <div class="buttons">
        {rows.length < most && <Button onClick={() => onInput([...rows, ""])}>{t.firstRun.addServer}</Button>}
        {offered.some((host) => !named.includes(host)) && (
          <Button onClick={() => take(offered)}>{t.firstRun.offered(offered.join(", "))}</Button>
        )}
        {named.length > 0 && (
          <Button isBusy={isBusy} onClick={() => ask(rows, true)}>
            {t.firstRun.testServers}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

/** `3 of 4 answer, within 1 ms.` */
function Sum({ found: { servers, answering, agreeing } }: { readonly found: Found }) {
  const isWell = answering === servers.length && agreeing === answering;
  const state: State = isWell ? "good" : agreeing === 0 ? "wrong" : "attention";
  const words = [t.firstRun.answering(answering, servers.length)];
  if (answering > 1) words.push(agreeing === 0 ? t.firstRun.noneAgrees : t.firstRun.agreeing(agreeing));
  return <Badge state={state}>{words.join(" ")}</Badge>;
}

function hostOf(server: TimeServerEntry): string {
  return timeServer(server).host.trim();
}

/** True: it answered that it has NTS, or is asked for it already. */
function isOffered(server: TimeServerEntry, found: Found | null): boolean {
  const answers = found?.servers ?? [];
  return (
    timeServer(server).nts || answers.some(({ host, nts }) => nts === "offered" && host === hostOf(server))
  );
}

function Answer({ server, found }: { readonly server: TimeServerEntry; readonly found: Found | null }) {
  const { nts } = timeServer(server);
  const isSame = (one: TimeServerEntry) => hostOf(one) === hostOf(server) && timeServer(one).nts === nts;
  const said = found?.servers[found.asked.findIndex(isSame)];
  // The row has changed since it was asked.
  if (said === undefined) return null;
  const { answers, reason, delay_seconds } = said;
  if (reason !== null) {
    const text = wordFor<string>(t.firstRun.sourceReasons, reason.code) ?? reason.detail;
    return <Badge state={answers ? "wrong" : "attention"}>{text}</Badge>;
  }
  const words = t.firstRun.answersIn(shortDuration(delay_seconds ?? 0));
  return <Badge state="good">{withMark(words, nts)}</Badge>;
}
