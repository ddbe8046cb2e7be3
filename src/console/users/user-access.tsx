import type { ComponentChildren } from "preact";
import type { ApiToken, SessionList, User } from "../../contract/types.ts";
import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { type Resource, useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { me } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { isolated } from "../ui/visible.ts";
import { agentInWords, tokenRights } from "../ui/words/access.ts";

/** A token that is to be deleted, once that is confirmed. */
export interface AskedToken {
  readonly token: ApiToken;
  reload(): Promise<void>;
}

/** The sessions and tokens of a user. One's own are on the page of one's account. */
export function UserAccess({
  user,
  onAsk,
}: {
  readonly user: User;
  readonly onAsk: (asked: AskedToken) => void;
}) {
  if (user.id === me().id)
    return (
      <p>
        <Link to="/account">{t.users.own}</Link>
      </p>
    );
  return (
    <>
      <Sessions userId={user.id} />
      <Tokens userId={user.id} onAsk={onAsk} />
    </>
  );
}

type Listed = SessionList["items"][number];

/** Tells sessions of the same browser apart. */
const sinceOf = ({ created_at }: Listed): string => absoluteTime(new Date(created_at));

function Sessions({ userId }: { readonly userId: string }) {
  const query = { user_id: userId };
  const sessions = useResource("listSessions", { query });
  const ending = useAction(async ({ id, user_agent }: Listed) => {
    await call("endSession", { params: { sid: id }, query });
    toast(t.users.did(t.person.end, agentInWords(user_agent)));
    await sessions.reload();
  });
  return (
    <Entries title={t.person.sessions} list={sessions} error={ending.error}>
      {(session: Listed) => (
        <li key={session.id} class="between">
          <span>
            {agentInWords(session.user_agent)}
            <span class="hint">
              {session.address} · {t.person.signedIn}: {sinceOf(session)} · {t.person.lastUsed}:{" "}
              <Time at={session.last_used_at} />
            </span>
          </span>
          <Button
            label={t.person.endOf(`${agentInWords(session.user_agent)}, ${sinceOf(session)}`)}
            isBusy={ending.isBusy}
            onClick={() => void ending.run(session)}
          >
            {t.person.end}
          </Button>
        </li>
      )}
    </Entries>
  );
}

function Tokens({ userId, onAsk }: { readonly userId: string; readonly onAsk: (asked: AskedToken) => void }) {
  const tokens = useResource("listTokens", { query: { user_id: userId } });
  const resuming = useAction(async ({ id, name }: ApiToken) => {
    await call("resumeToken", { params: { id } });
    toast(t.users.did(t.person.resume, isolated(name)));
    await tokens.reload();
  });
  return (
    <Entries title={t.person.tokens} list={tokens} error={resuming.error}>
      {(token: ApiToken) => (
        <li key={token.id} class="between">
          <span>
            <bdi>{token.name}</bdi> ·{" "}
            {token.is_expired ? (
              t.person.expired
            ) : token.is_suspended ? (
              t.person.suspended
            ) : token.no_expiry ? (
              t.person.noEnd
            ) : (
              <>
                {t.ui.expires}: <Time at={token.expires_at} />
              </>
            )}
            <span class="hint">
              {tokenRights(token)} · {t.person.lastUsed}: <Time at={token.last_used_at} />
            </span>
          </span>
          {token.is_suspended && (
            <Button
              label={t.users.about(t.person.resume, token.name)}
              isBusy={resuming.isBusy}
              onClick={() => void resuming.run(token)}
            >
              {t.person.resume}
            </Button>
          )}
          <Button
            label={t.users.about(t.users.actions.delete.verb, token.name)}
            kind="danger"
            onClick={() => onAsk({ token, reload: tokens.reload })}
          >
            {t.users.actions.delete.verb}
          </Button>
        </li>
      )}
    </Entries>
  );
}

/** Asked outside the form of the user, for it is one of its own. */
export function DeleteToken({
  asked: { token, reload },
  onClose,
}: {
  readonly asked: AskedToken;
  readonly onClose: () => void;
}) {
  const { verb } = t.users.actions.delete;
  return (
    <ConfirmDialog
      title={t.users.about(verb, token.name)}
      verb={verb}
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await call("deleteToken", { params: { id: token.id } });
        toast(t.users.did(verb, isolated(token.name)));
        await reload();
      }}
    >
      <p>{t.person.deleteTokenText}</p>
    </ConfirmDialog>
  );
}

function Entries<Item>({
  title,
  list,
  error = null,
  children,
}: {
  readonly title: string;
  readonly list: Pick<Resource<{ items: readonly Item[] }>, "value" | "error" | "reload">;
  readonly error?: unknown;
  readonly children: (item: Item) => ComponentChildren;
}) {
  return (
    <Section title={title}>
      {list.value === null && list.error === null && <Skeleton lines={1} />}
      {list.value?.items.length === 0 && <p class="hint">{t.users.nothing}</p>}
      <ul class="entries">{list.value?.items.map(children)}</ul>
      <ReadProblem of={[list]} />
      <ProblemView error={error} />
    </Section>
  );
}
