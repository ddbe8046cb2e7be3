import type { Release, Updates } from "../../../contract/types.ts";
import { holdRemedy } from "../../../contract/updates/update-holds.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { useAction } from "../../client/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import type { Order } from "../dialogs.tsx";
import { momentPhrase } from "../moments.ts";
import { RemedyButton } from "../remedy-button.tsx";

/** Spans by which one touch postpones a release. */
const spans = ["1h", "1d", "7d"] as const;

export interface OrderProps {
  readonly kind: Release["kind"];
  readonly status: Updates;
  /** The reason that no work can begin now; null: it can. */
  readonly busy: string | null;
  readonly onOrder: (order: Order) => void;
  readonly onBegun: (status: Updates) => void;
  readonly onCheck: () => void;
}

/** The buttons of an offer: one applies it, or does what must come first; the other postpones it. */
export function OfferButtons({ release, ...rest }: OrderProps & { readonly release: Release }) {
  const { kind, status, busy, onOrder, onBegun, onCheck } = rest;
  const what = `${t.updates.kinds[kind]} ${release.version}`;
  const code = release.hold?.code;
  const remedy = code === undefined ? "apply" : holdRemedy(code);
  const later = useAction(async (span: string) => {
    const after = await call("postponeUpdate", { body: { kind, for: span } });
    onBegun(after);
    const until = after.postponed[kind];
    toast(until === null ? t.updates.notPostponed : t.updates.postponedUntil(momentPhrase(until)));
  });
  return (
    <>
      <div class="buttons">
        {remedy === "apply" && (
          <Button
            kind={wasUndone(release) ? "plain" : "primary"}
            label={`${t.updates.apply}: ${what}`}
            why={busy}
            onClick={() => onOrder({ verb: "apply", kind })}
          >
            {wasUndone(release) ? t.updates.again : t.updates.apply}
          </Button>
        )}
        {remedy !== "apply" && <RemedyButton remedy={remedy} onCheck={onCheck} />}
        <Menu
          label={`${t.ui.later}: ${what}`}
          text={t.ui.later}
          items={[
            ...(status.postponed[kind] === null
              ? []
              : [{ text: t.updates.endPostponement, why: null, onChoose: () => void later.run("0s") }]),
            ...spans.map((span) => ({
              text: t.updates.laterBy[span],
              why: busy,
              onChoose: () => void later.run(span),
            })),
            { text: t.updates.laterBy.own, why: busy, onChoose: () => onOrder({ verb: "postpone", kind }) },
          ]}
        />
      </div>
      <ProblemView error={later.error} />
    </>
  );
}

/** It has been on this device and was taken back: then nothing suggests to do the same again. */
function wasUndone({ hold }: Release): boolean {
  return hold?.code === "held" || hold?.code === "deferred" || hold?.code === "refused";
}
