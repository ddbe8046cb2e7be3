import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { me } from "../session/session.ts";
import { passwordQuestion } from "../session/step-up.ts";
import { useStore } from "../store.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Credentials } from "./credentials.tsx";
import { ProviderButton } from "./provider.tsx";

/** Asks for the password in place, and what was being done goes on. */
export function StepUp() {
  const question = useStore(passwordQuestion);
  if (question === null) return null;
  const isAtProvider = me().origin === "provider";
  return (
    <Dialog title={t.signIn.confirmTitle} onClose={() => question.cancel()}>
      <p>{isAtProvider ? t.signIn.confirmAtProvider : t.signIn.confirmText}</p>
      {isAtProvider ? (
        <ProviderButton
          isStepUp
          onReturned={async (body) => {
            await call("stepUpAtProvider", { body });
            question.answered();
          }}
        />
      ) : (
        <Credentials
          username={me().username}
          verb={t.signIn.confirm}
          onGiven={async ({ password, factor }) => {
            await call("reauthenticate", { body: { password, ...factor } });
            question.answered();
          }}
        />
      )}
    </Dialog>
  );
}
