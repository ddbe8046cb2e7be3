import { useState } from "preact/hooks";
import type { ApiToken } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { Empty, Section, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
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
      <ul class="entries">
        {items.map((token) => (
          <li key={token.id} class="between">
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
            <div class="buttons">
              {token.is_suspended && me().role === "admin" && (
                <Button isBusy={resuming.isBusy} onClick={() => void resuming.run(token)}>
                  {t.person.resume}
                </Button>
              )}
              <Button label={t.account.deleteTokenTitle(token.name)} onClick={() => setDoomed(token)}>
                {t.account.deleteToken}
              </Button>
            </div>
          </li>
        ))}
      </ul>
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
