import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ApiToken, SessionList } from "../../contract/types.ts";
import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Pending, Section } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { agentInWords, tokenRights } from "./access.ts";

interface AccessProps {
  readonly userId: string;
}

type Listed = SessionList["items"][number];

export function Sessions({ userId }: AccessProps) {
  // Everyone may end their own; those of a user are ended by that user's name.
  const query = userId === me().id ? {} : { user_id: userId };
  const list = useResource("listSessions", { query });
  const ending = useAction(async (sessions: readonly Listed[]) => {
    for (const { id } of sessions) await endOne(id, query);
    toast(t.person.sessionsEnded(sessions.length));
    await list.reload();
  });
  const items = list.value?.items ?? [];
  const others = items.filter(({ is_current }) => !is_current);
  return (
    <Section
      title={t.person.sessions}
      action={
        others.length > 0 &&
        others.length < items.length && (
          <Button isBusy={ending.isBusy} onClick={() => void ending.run(others)}>
            {t.person.endOthers}
          </Button>
        )
      }
    >
      <ReadProblem of={[list]} />
      <ProblemView error={ending.error} />
      {list.value === null && <Pending of={list} lines={1} />}
      {list.value !== null && items.length === 0 && <p class="hint">{t.person.none}</p>}
      <ul class="entries">
        {items.map((one) => (
          <Session key={one.id} session={one} isBusy={ending.isBusy} onEnd={() => void ending.run([one])} />
        ))}
      </ul>
    </Section>
  );
}

/** With the time of signing in, which tells sessions of the same browser apart. */
function Session({
  session: { user_agent, created_at, is_current, address, last_used_at },
  isBusy,
  onEnd,
}: {
  readonly session: Listed;
  readonly isBusy: boolean;
  readonly onEnd: () => void;
}) {
  const [agent, since] = [agentInWords(user_agent), absoluteTime(new Date(created_at))];
  return (
    <li class="between">
      <span>
        {agent} {is_current && <Badge state="good">{t.person.thisSession}</Badge>}
        <span class="hint">
          {address} · {t.person.signedIn}: {since} · {t.person.lastUsed}: <Time at={last_used_at} />
        </span>
      </span>
      {!is_current && (
        <Button label={t.person.endOf(`${agent}, ${since}`)} isBusy={isBusy} onClick={onEnd}>
          {t.person.end}
        </Button>
      )}
    </li>
  );
}

/** A session that has already ended is not an error. */
async function endOne(sid: string, query: { readonly user_id?: string }): Promise<void> {
  try {
    await call("endSession", { params: { sid }, query });
  } catch (error) {
    if (codeOf(error) !== "not_found") throw error;
  }
}

/** `action`: a button beside the head; `children`: above the list. */
export function Tokens({
  userId,
  action,
  children,
}: AccessProps & { readonly action?: ComponentChildren; readonly children?: ComponentChildren }) {
  const list = useResource("listTokens", { query: { user_id: userId } });
  const [doomed, setDoomed] = useState<ApiToken | null>(null);
  const resuming = useAction(async ({ id }: ApiToken) => {
    await call("resumeToken", { params: { id } });
    await list.reload();
  });
  const items = list.value?.items ?? [];
  return (
    <Section title={t.person.tokens} action={action}>
      {children}
      <ReadProblem of={[list]} />
      <ProblemView error={resuming.error} />
      {list.value === null && <Pending of={list} lines={1} />}
      {list.value !== null && items.length === 0 && <p class="hint">{t.person.none}</p>}
      <ul class="entries">
        {items.map((token) => (
          <li key={token.id} class="between">
            <TokenFacts token={token} />
            <div class="buttons">
              {token.is_suspended && me().role === "admin" && (
                <Button
                  label={t.person.resumeToken(token.name)}
                  isBusy={resuming.isBusy}
                  onClick={() => void resuming.run(token)}
                >
                  {t.person.resume}
                </Button>
              )}
              <Button label={t.person.deleteTokenTitle(token.name)} onClick={() => setDoomed(token)}>
                {t.person.deleteToken}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {doomed !== null && <DeleteToken token={doomed} onDone={list.reload} onClose={() => setDoomed(null)} />}
    </Section>
  );
}

function TokenFacts({ token }: { readonly token: ApiToken }) {
  return (
    <span>
      <bdi>{token.name}</bdi>{" "}
      {(token.is_expired || token.is_suspended) && (
        <Badge state="wrong">{token.is_expired ? t.person.expired : t.person.suspended}</Badge>
      )}
      <span class="hint">
        {tokenRights(token)} · {t.ui.expires}:{" "}
        {token.no_expiry ? t.person.noEnd : <Time at={token.expires_at} />} · {t.person.lastUsed}:{" "}
        <Time at={token.last_used_at} />
      </span>
    </span>
  );
}

function DeleteToken({
  token: { id, name },
  onDone,
  onClose,
}: {
  readonly token: ApiToken;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={t.person.deleteTokenTitle(name)}
      verb={t.person.deleteToken}
      isDangerous
      onConfirm={async () => {
        await call("deleteToken", { params: { id } });
        toast(t.person.tokenDeleted);
        await onDone();
      }}
      onClose={onClose}
    >
      <p>{t.person.deleteTokenText}</p>
    </ConfirmDialog>
  );
}
