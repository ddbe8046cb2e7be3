import { t } from "../catalogue/words.ts";
import { codeOf } from "../client/problem.ts";
import { type Edited, TextField } from "../ui/form/field.tsx";
import { entryAt } from "../ui/form/form.tsx";

/** The name of a user who is made, with its rule once it is refused. `isOwn`: the person's own, which a password manager may keep. */
export function UsernameField({
  value,
  onInput,
  error,
  isOwn = false,
  isFirst,
}: Edited<string> & { readonly error: unknown; readonly isOwn?: boolean; readonly isFirst: boolean }) {
  return (
    <TextField
      label={t.signIn.username}
      hint={t.person.usernameHint}
      error={usernameError(error)}
      name="username"
      value={value}
      onInput={onInput}
      autocomplete={isOwn ? "username" : "off"}
      spellcheck={false}
      isFirst={isFirst}
    />
  );
}

function usernameError(error: unknown): string | null {
  const one = entryAt(error, "/username");
  if ((one?.code ?? codeOf(error)) === "username_taken") return t.problem.codes.username_taken;
  return one ? t.person.usernameRule : null;
}
