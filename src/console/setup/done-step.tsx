import { t } from "../catalogue/words.ts";
import { usePart } from "../client/parts.ts";
import { navigate } from "../navigation/navigation.ts";
import { me } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/page.tsx";
import type { SetupStep } from "./setup-frame.tsx";

/** The end of the first run: a sheet for the device's file, and what was left for later. */
export function DoneStep({ left }: { readonly left: readonly SetupStep[] }) {
  const sheet = usePart("sheet");
  const { username, two_factor } = me();
  const home = (
    <Button kind="primary" onClick={() => void navigate("/")}>
      {t.frame.toHome}
    </Button>
  );
  return (
    <>
      {left.length > 0 && (
        <p>{t.firstRun.leftForLater(left.map((step) => t.firstRun.stepNames[step]).join(", "))}</p>
      )}
      <p>{t.firstRun.sheetText}</p>
      {sheet === null ? (
        <Skeleton lines={8} />
      ) : (
        <sheet.Paper note={two_factor.enabled && <p>{t.firstRun.codesApart(username)}</p>} others={home} />
      )}
    </>
  );
}
