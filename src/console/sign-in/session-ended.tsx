import { t } from "../catalogue/words.ts";
import { entryOf } from "../client/cache.ts";
import { greeting } from "../client/connection.ts";
import { ended, me } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Credentials } from "./credentials.tsx";
import { ProviderButton, signInBy } from "./provider.tsx";
import { signInWith } from "./sign-in.tsx";

/** Over the page whose session has ended: after signing in again, users continue where they were. */
export function SessionEnded() {
  return (
    <Dialog title={t.signIn.sessionEnded}>
      <OtherDevice />
      <p>{t.signIn.sessionEndedText}</p>
      <p>
        <strong>{me().username}</strong>
      </p>
      {me().origin === "provider" ? (
        <ProviderButton onReturned={signInBy} />
      ) : (
        <Credentials username={me().username} verb={t.signIn.title} onGiven={signInWith} />
      )}
      <div class="buttons">
        <Button kind="quiet" onClick={ended}>
          {t.signIn.abandon}
        </Button>
      </div>
    </Dialog>
  );
}

/** Says that the device has another name than in the session: the password may be for another one. */
function OtherDevice() {
  const before = entryOf("getStatus", "{}").read.read().value?.device_name;
  const now = useStore(greeting)?.device_name;
  if (!before || !now || before === now) return null;
  return <p role="alert">{t.signIn.otherDevice(now, before)}</p>;
}
