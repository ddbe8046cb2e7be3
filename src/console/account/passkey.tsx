import { useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import type { PasskeyButtonProps } from "../client/parts.ts";
import { useAction } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";
import { answerByPasskey, useHasPasskeys } from "./webauthn.ts";

/** Proves the second factor by a passkey: a part that the sign-in loads where the user has one for this page. */
export function PasskeyButton({ request, onProven }: PasskeyButtonProps) {
  const isPossible = useHasPasskeys();
  const [refusal, setRefusal] = useState("");
  const use = useAction(async () => {
    setRefusal("");
    const proof = await answerByPasskey(request).catch(({ message }: DOMException) => setRefusal(message));
    if (proof) await onProven(proof);
  });
  if (!isPossible) return null;
  return (
    <>
      <Button isBusy={use.isBusy} onClick={() => void use.run()}>
        {t.signIn.usePasskey}
      </Button>
      {refusal !== "" && (
        <p class="hint" role="alert">
          {t.signIn.noPasskey} <bdi lang="en">{refusal}</bdi>
        </p>
      )}
    </>
  );
}

export { PasskeyButton as Body };
