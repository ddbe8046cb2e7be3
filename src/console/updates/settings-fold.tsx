import type { Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { usePart } from "../client/parts.ts";
import { Skeleton } from "../ui/page.tsx";
import { visible } from "../ui/visible.ts";
import { Fold } from "./fold.tsx";

/** The settings of the updates in few words, until they are opened. */
export function SettingsFold({ status }: { readonly status: Updates }) {
  const { channel, schedule } = status;
  const scheduled = schedule.enabled ? t.updates.scheduled : t.updates.notScheduledNext;
  return (
    <Fold name="settings" title={t.updates.settings} summary={t.updates.inShort(visible(channel), scheduled)}>
      <Opened status={status} />
    </Fold>
  );
}

function Opened({ status }: { readonly status: Updates }) {
  const part = usePart("ota");
  return part === null ? <Skeleton lines={12} /> : <part.Body status={status} />;
}
