import type { Role } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { minimumCharacters, NewPasswordField } from "../../sign-in/new-password-field.tsx";
import type { Edited } from "../../ui/form/field.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";

/** A password for another user: one that the agent makes, which is null here, or one that is typed. */
export function NewPassword({
  role,
  value,
  onInput,
  error,
}: Edited<string | null> & { readonly role: Role; readonly error: unknown }) {
  const minimum = minimumCharacters(role, useResource("getSettings").value?.security);
  return (
    <>
      <RadioField
        label={t.signIn.password}
        value={value === null ? "made" : "typed"}
        onInput={(choice) => onInput(choice === "made" ? null : "")}
        options={[
          { value: "made", text: t.users.passwordMade, hint: t.users.passwordMadeHint },
          { value: "typed", text: t.users.passwordTyped },
        ]}
      />
      {value !== null && (
        <NewPasswordField
          label={t.person.newPassword}
          value={value}
          onInput={onInput}
          error={error}
          pointer="/password"
          minimum={minimum}
        />
      )}
    </>
  );
}
