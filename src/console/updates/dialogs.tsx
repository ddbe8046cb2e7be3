import { useState } from "preact/hooks";
import type { Release, SetAsideRelease, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import type { Sentence } from "../ui/by-code.ts";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { DurationField } from "../ui/form/duration-field.tsx";
import { Said } from "../ui/spoken.tsx";
import { visible } from "../ui/visible.ts";
import { holdSentence, releaseName } from "./update-sentences.ts";

export type Order =
  | { readonly verb: "apply"; readonly kind: Release["kind"] }
  | { readonly verb: "postpone"; readonly kind: Release["kind"] }
  | { readonly verb: "undo"; readonly kind: Release["kind"]; readonly former: string };

interface DialogProps {
  readonly kind: Release["kind"];
  readonly status: Updates;
  readonly onBegun: (status: Updates) => void;
  readonly onClose: () => void;
}

/** Says what will happen, and asks for it. */
export function OrderDialog({ order, ...rest }: Omit<DialogProps, "kind"> & { readonly order: Order }) {
  if (order.verb === "apply") return <ApplyDialog kind={order.kind} {...rest} />;
  if (order.verb === "postpone") return <PostponeDialog kind={order.kind} {...rest} />;
  return <UndoDialog kind={order.kind} former={order.former} {...rest} />;
}

/** Says why a release that was undone is not applied automatically. */
export function asideSentence({ why, until, kind }: SetAsideRelease): Sentence {
  return holdSentence({ code: why, detail: "", until, setting: null, reason: null }, kind);
}

function ApplyDialog({ kind, status, onBegun, onClose }: DialogProps) {
  const release = status.available[kind];
  const present = status.installed[kind];
  const aside = status.held.find(({ id }) => id === release?.id);
  return (
    <ConfirmDialog
      title={t.updates.applyTitle(release ? releaseName(release) : t.home.kinds[kind])}
      verb={t.updates.apply}
      onConfirm={async () => onBegun(await call("applyUpdates", { body: { kind } }))}
      onClose={onClose}
    >
      {aside && (
        <p>
          <Said sentence={asideSentence(aside)} />
        </p>
      )}
      <p>
        {t.updates.applyText} {t.updates.about[kind]}
      </p>
      <p>{t.updates.applyUndone(present && visible(present))}</p>
    </ConfirmDialog>
  );
}

function UndoDialog({ kind, former, status, onBegun, onClose }: DialogProps & { readonly former: string }) {
  const present = visible(status.installed[kind] ?? "");
  return (
    <ConfirmDialog
      title={t.updates.undoTitle(`${t.home.kinds[kind]} ${present}`)}
      verb={t.updates.undoVerb}
      isDangerous
      onConfirm={async () => onBegun(await call("rollBackUpdate", { body: { kind } }))}
      onClose={onClose}
    >
      <p>{t.updates.undoText(visible(former), present)}</p>
      <p>{t.updates.about[kind]}</p>
    </ConfirmDialog>
  );
}

/** For a time that the menu beside the release does not offer. */
function PostponeDialog({ kind, status, onBegun, onClose }: DialogProps) {
  const release = status.available[kind];
  const [duration, setDuration] = useState("12h");
  const [isWrong, setWrong] = useState(false);
  const postpone = async (): Promise<void> => {
    onBegun(await call("postponeUpdate", { body: { kind, for: duration } }));
    toast(t.updates.postponed);
  };
  return (
    <ConfirmDialog
      title={t.updates.postponeTitle(release ? releaseName(release) : t.home.kinds[kind])}
      verb={t.updates.postpone}
      onConfirm={() =>
        postpone().catch((error: unknown) => {
          setWrong(true);
          throw error;
        })
      }
      onClose={onClose}
    >
      <p>{t.updates.postponeText}</p>
      <DurationField
        label={t.updates.duration}
        hint={t.updates.durationHint}
        error={isWrong ? t.updates.durationWrong : null}
        value={duration}
        onInput={(value) => {
          setDuration(value);
          setWrong(false);
        }}
        isFirst
      />
    </ConfirmDialog>
  );
}
