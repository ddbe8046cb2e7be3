import type { SessionList } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { agentInWords } from "../ui/words/access.ts";

type Listed = SessionList["items"][number];

export function Sessions() {
  const list = useResource("listSessions");
  const end = useAction(async (sessions: readonly Listed[]) => {
    for (const { id } of sessions) await endOne(id);
    toast(t.account.sessionsEnded(sessions.length));
    await list.reload();
  });
  const items = list.value?.items ?? [];
  const others = items.filter(({ is_current }) => !is_current);
  return (
    <Section
      title={t.person.sessions}
      action={
        others.length > 0 && (
          <Button isBusy={end.isBusy} onClick={() => void end.run(others)}>
            {t.account.endOthers}
          </Button>
        )
      }
    >
      <ReadProblem of={[list]} />
      <ProblemView error={end.error} />
      {list.value === null ? (
        list.error === null && <Skeleton />
      ) : (
        <Table
          caption={t.person.sessions}
          columns={columns((session) => void end.run([session]))}
          rows={items}
          rowKey={({ id }) => id}
        />
      )}
    </Section>
  );
}

/** A session that has already ended is not an error. */
async function endOne(sid: string): Promise<void> {
  try {
    await call("endSession", { params: { sid } });
  } catch (error) {
    if (codeOf(error) !== "not_found") throw error;
  }
}

function columns(onEnd: (session: Listed) => void): Column<Listed>[] {
  return [
    {
      key: "browser",
      title: t.account.browser,
      cell: ({ user_agent, is_current }) => (
        <>
          <span title={user_agent}>{agentInWords(user_agent)}</span>{" "}
          {is_current && <Badge state="good">{t.account.thisSession}</Badge>}
        </>
      ),
    },
    { key: "from", title: t.account.from, cell: ({ address }) => address },
    { key: "created", title: t.account.signedIn, cell: ({ created_at }) => <Time at={created_at} /> },
    { key: "used", title: t.person.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      key: "end",
      title: t.person.end,
      cell: (session) =>
        session.is_current ? null : (
          <Button label={t.person.endOf(agentInWords(session.user_agent))} onClick={() => onEnd(session)}>
            {t.person.end}
          </Button>
        ),
    },
  ];
}
