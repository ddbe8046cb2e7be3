import type { Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";
import { isOneOf } from "../session/session.ts";
import { deviceNow } from "../ui/device-time.ts";
import { checkName, healthSentence } from "../ui/health-words.ts";
import { Said } from "../ui/spoken.tsx";
import { Lead } from "./lead.tsx";

/** Problems of the device, and updates that wait for a person. */
export function DeviceBanners({
  path,
  isClockSaid,
}: {
  readonly path: string;
  /** Another banner says already that the clock is not trusted. */
  readonly isClockSaid: boolean;
}) {
  const health = useResource("getHealth");
  const troubles = health.value?.checks?.filter(({ status }) => status !== "ok") ?? [];
  const ofUpdates = troubles.find(({ name }) => name === "updates");
  const other = troubles.find(({ name }) => name !== "updates" && !(name === "time" && isClockSaid));
  return (
    <>
      {other && (
        <Lead state="wrong" to="/system" from={path} text={t.frame.troubleLink}>
          {t.frame.trouble(checkName(other.name))} <Said sentence={healthSentence(other)} />
        </Lead>
      )}
      {ofUpdates ? (
        <Lead state="wrong" to="/updates" from={path} text={t.frame.updatesLink}>
          {t.frame.updatesTrouble} <Said sentence={healthSentence(ofUpdates)} />
        </Lead>
      ) : (
        isOneOf("admin", "operator") && <WaitingUpdate path={path} />
      )}
    </>
  );
}

function WaitingUpdate({ path }: { readonly path: string }) {
  const { value } = useResource("getUpdates");
  const words = value && whatWaits(value);
  if (!words) return null;
  return (
    <Lead to="/updates" from={path} text={t.frame.updatesLink}>
      {words}
    </Lead>
  );
}

/** Releases that are applied automatically, or that a person has held or postponed, are not reported. */
function whatWaits({ state, available, held, postponed, trust }: Updates): string | null {
  if (trust.installed && !trust.confirmed && isOneOf("admin")) return t.frame.trustWaits;
  if (state !== "available" && state !== "staged") return null;
  for (const kind of updateKinds) {
    const release = available[kind];
    if (release === null || release.hold === null || postponed[kind] !== null) continue;
    if (release.due_at !== null && Date.parse(release.due_at) > deviceNow()) continue;
    if (held.some(({ id }) => id === release.id)) continue;
    return t.frame.updateWaits(`${release.name} ${release.version}`);
  }
  return null;
}
