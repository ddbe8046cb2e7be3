import { useState } from "preact/hooks";
import type { ApiToken } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { type Action, useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Empty, Section, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { tokenRights } from "../ui/words/access.ts";
import { CreateTokenSheet } from "./create-token-sheet.tsx";

export function ApiTokens() {
  const list = useResource("listTokens", { query: { user_id: me().id } });
  const [isCreating, setIsCreating] = useState(false);
  const [doomed, setDoomed] = useState<ApiToken | null>(null);
  const resuming = useAction(async ({ id }: ApiToken) => {
    await call("resumeToken", { params: { id } });
    await list.reload();
  });
  const items = list.value?.items ?? [];
  return (
    <Section
      title={t.person.tokens}
      action={<Button onClick={() => setIsCreating(true)}>{t.account.createToken}</Button>}
    >
      <p>{t.account.tokensText}</p>
      <ReadProblem of={[list]} />
      <ProblemView error={resuming.error} />
      {list.value === null && list.error === null && <Skeleton />}
      {list.value !== null && items.length === 0 && <Empty>{t.account.noTokens}</Empty>}
      {items.length > 0 && (
        <Table
          caption={t.person.tokens}
          columns={columns(setDoomed, resuming)}
          rows={items}
          rowKey={({ id }) => id}
        />
      )}
      {isCreating && (
        <CreateTokenSheet onCreated={() => void list.reload()} onClose={() => setIsCreating(false)} />
      )}
      {doomed !== null && (
        <ConfirmDialog
          title={t.account.deleteTokenTitle(doomed.name)}
          verb={t.account.deleteToken}
          isDangerous
          onConfirm={async () => {
            await call("deleteToken", { params: { id: doomed.id } });
            toast(t.account.tokenDeleted);
            await list.reload();
          }}
          onClose={() => setDoomed(null)}
        >
          <p>{t.person.deleteTokenText}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function columns(
  onDelete: (token: ApiToken) => void,
  resuming: Action<[token: ApiToken]>,
): Column<ApiToken>[] {
  return [
    { key: "name", title: t.ui.name, cell: ({ name }) => <bdi>{name}</bdi> },
    { key: "scopes", title: t.account.scopesTitle, cell: tokenRights },
    {
      key: "expires",
      title: t.ui.expires,
      cell: ({ expires_at, is_expired, is_suspended, no_expiry }) =>
        is_expired || is_suspended ? (
          <Badge state="wrong">{is_expired ? t.person.expired : t.person.suspended}</Badge>
        ) : no_expiry ? (
          t.person.noEnd
        ) : (
          <Time at={expires_at} />
        ),
    },
    { key: "used", title: t.person.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    {
      key: "delete",
      title: t.account.deleteToken,
      cell: (token) => (
        <>
          {token.is_suspended && me().role === "admin" && (
            <Button isBusy={resuming.isBusy} onClick={() => void resuming.run(token)}>
              {t.person.resume}
            </Button>
          )}
          <Button label={t.account.deleteTokenTitle(token.name)} onClick={() => onDelete(token)}>
            {t.account.deleteToken}
          </Button>
        </>
      ),
    },
  ];
}
