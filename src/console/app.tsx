import { useEffect, useState } from "preact/hooks";
import { chosenLanguage } from "./catalogue/wanted-language.ts";
import { speak, wantedLanguage } from "./catalogue/words.ts";
import { greeting } from "./client/connection.ts";
import { needed, persistently, usePart } from "./client/parts.ts";
import { Frame } from "./frame/frame.tsx";
import { LateDialog, LeaveDialog } from "./frame/leave-dialog.tsx";
import { place } from "./navigation/navigation.ts";
import { phase } from "./session/session.ts";
import { SessionEnded } from "./sign-in/session-ended.tsx";
import { setupToken } from "./sign-in/setup-token.ts";
import { SignIn } from "./sign-in/sign-in.tsx";
import { StepUp } from "./sign-in/step-up.tsx";
import { useStore } from "./store.ts";
import { ConnectionState } from "./ui/connection-state.tsx";
import { Toasts } from "./ui/dialog/toasts.tsx";
import { Skeleton } from "./ui/page.tsx";
import { Shape } from "./ui/shape.tsx";

/** The whole console: the page depends on whether a user is signed in. */
export function App() {
  const now = useStore(phase);
  const spoken = useSpoken();
  const { path } = useStore(place);
  const isRescue = useStore(setupToken) !== "" && now === "signed-out";
  if (now === "opening" || spoken === null) return <Opening />;
  return (
    <div>
      {/* A token in the address, where there is an administrator: the device was booted for rescue. */}
      {(now === "setup" || isRescue) && <Setup isRescue={isRescue} />}
      {now === "signed-out" && !isRescue && <SignIn />}
      {/* It stays behind the sign-in, with all that was typed. */}
      {(now === "signed-in" || now === "interrupted") && (path === "/setup" ? <Setup /> : <Frame />)}
      {now === "interrupted" && <SessionEnded />}
      <StepUp />
      <LeaveDialog />
      <LateDialog />
      <Toasts />
    </div>
  );
}

/** Looks as index.html does until the script is there. */
function Opening() {
  return (
    <div class="outside">
      <ConnectionState />
      <header class="device">
        <Shape name="device" />
        <span>Steward</span>
      </header>
      <Skeleton />
    </div>
  );
}

/** The first run; without `isRescue` the steps of it that are behind the sign-in. */
function Setup({ isRescue }: { readonly isRescue?: boolean }) {
  const setup = usePart("setup");
  if (setup === null) return <Opening />;
  return isRescue === undefined ? <setup.Page /> : <setup.Body isRescue={isRescue} />;
}

/** The language, once its texts are there. Another one is drawn in place, so that nothing typed is lost. */
function useSpoken(): string | null {
  const ofDevice = useStore(greeting)?.language ?? null;
  const chosen = useStore(chosenLanguage);
  const [spoken, setSpoken] = useState<string | null>(null);
  useEffect(() => {
    const wanted = wantedLanguage(ofDevice);
    if (wanted === null) return;
    // Without the texts opening.ts says what is wrong, or the language stays.
    needed(persistently(() => speak(wanted))).then(
      () => setSpoken(wanted),
      () => undefined,
    );
  }, [ofDevice, chosen]);
  return spoken;
}
