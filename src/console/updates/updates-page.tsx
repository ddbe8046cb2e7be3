import { useState } from "preact/hooks";
import type { Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { isOneOf } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Page, Section, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { type Order, OrderDialog } from "./dialogs.tsx";
import { History } from "./history.tsx";
import { KindRow } from "./kind-row.tsx";
import { OtaSettings } from "./ota-settings.tsx";
import { ProgressLine } from "./progress-line.tsx";
import { Schedule } from "./schedule.tsx";
import { Trust } from "./trust.tsx";
import { useUpdates } from "./use-updates.ts";

/** Installed and available releases, progress, whose signatures count, and what has been. */
export function UpdatesPage() {
  const { updates, history, progress, begun } = useUpdates();
  const [order, setOrder] = useState<Order | null>(null);
  const check = useAction(async () => begun(await call("checkForUpdates", { body: {} })));
  const status = updates.value;
  const entries = history.value?.items ?? [];
  return (
    <Page
      title={t.frame.updates}
      action={
        isOneOf("admin", "operator") &&
        status && (
          <Button
            isBusy={check.isBusy || progress?.phase === "checking"}
            why={whyNotCheck(status)}
            onClick={() => void check.run()}
          >
            {t.updates.checkNow}
          </Button>
        )
      }
    >
      <ReadProblem of={[updates]} />
      <ProblemView error={check.error} />
      {status === null ? (
        <Skeleton lines={12} />
      ) : (
        <>
          <Section title={t.updates.releases}>
            {updateKinds.map((kind) => (
              <KindRow
                key={kind}
                {...{ kind, status, entries }}
                isUnderWay={progress !== null || status.trial !== null}
                onOrder={setOrder}
              />
            ))}
          </Section>
          <ProgressLine status={status} progress={progress} last={entries[0]} />
          <Trust status={status} onConfirmed={begun} />
          <Schedule status={status} />
          <History status={status} entries={entries} onOrder={setOrder} />
          <OtaSettings status={status} />
        </>
      )}
      {order && status && (
        <OrderDialog order={order} status={status} onBegun={begun} onClose={() => setOrder(null)} />
      )}
    </Page>
  );
}

/** null: it can be looked for updates. */
function whyNotCheck({ trust, schedule, trial }: Updates): string | null {
  if (!trust.installed) return t.updates.why.noRoot;
  if (schedule.server === "") return t.updates.why.noServer;
  return trial === null ? null : t.updates.why.underWay;
}
