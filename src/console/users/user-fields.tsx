import { roleNames } from "../../contract/shapes.ts";
import type { Role } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { type Edited, TextField } from "../ui/form/field.tsx";
import { errorAt } from "../ui/form/form.tsx";
import { RadioField } from "../ui/form/radio-field.tsx";

/** Explains the rights of each role where it is chosen. */
export function RoleField({ value, onInput }: Edited<Role>) {
  return (
    <RadioField
      label={t.person.role}
      value={value}
      onInput={onInput}
      options={roleNames.map((role) => ({
        value: role,
        text: t.person.roles[role],
        hint: t.person.mayDo[role],
      }))}
    />
  );
}

export function DisplayNameField({ value, onInput, error }: Edited<string> & { readonly error: unknown }) {
  return (
    <TextField
      label={t.person.displayName}
      hint={t.users.displayNameHint}
      error={errorAt(error, "/display_name") && t.users.notAccepted}
      value={value}
      onInput={onInput}
      spellcheck={false}
    />
  );
}
