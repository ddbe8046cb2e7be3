import { t } from "../catalogue/words.ts";
import type { PasskeyButtonProps } from "../client/parts.ts";
import { useAction } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { answerByPasskey, useHasPasskeys } from "./webauthn.ts";

/** Proves the second factor by a passkey: a part that the sign-in loads where the user has one for this page. */
export function PasskeyButton({ request, onProven }: PasskeyButtonProps) {
  const isPossible = useHasPasskeys();
  const use = useAction(async () => onProven(await answerByPasskey(request)));
  if (!isPossible) return null;
  return (
    <>
      <Button isBusy={use.isBusy} onClick={() => void use.run()}>
        {t.signIn.usePasskey}
      </Button>
      <ProblemView error={use.error} />
    </>
  );
}

export { PasskeyButton as Body };
