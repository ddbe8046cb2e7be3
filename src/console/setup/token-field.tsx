import { useEffect, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { setupToken } from "../sign-in/setup-token.ts";
import { useStore } from "../store.ts";
import { Badge } from "../ui/badge.tsx";
import { type Edited, TextField } from "../ui/form/field.tsx";

/** The setup token: a tick while it is the link's, a field where no link brought one or the agent has refused it. */
export function TokenField({
  value,
  onInput,
  error,
  isDisabled = false,
}: Edited<string> & { readonly error: string | null; readonly isDisabled?: boolean }) {
  const given = useStore(setupToken);
  const [refused, setRefused] = useState("");
  useEffect(() => {
    if (error !== null) setRefused(value);
  }, [error]);
  if (value !== "" && value === given && value !== refused && error === null)
    return (
      <p class="setup-token">
        <Badge state="good">{t.firstRun.tokenOfLink}</Badge>
      </p>
    );
  return (
    <TextField
      {...{ value, onInput, error, isDisabled }}
      label={t.firstRun.token}
      hint={t.firstRun.tokenHint}
      spellcheck={false}
      isFirst={given === ""}
    />
  );
}
