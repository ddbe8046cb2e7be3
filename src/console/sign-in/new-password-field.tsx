import type { Role, Settings } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import type { Edited } from "../ui/form/field.tsx";
import { entryAt, errorAt } from "../ui/form/form.tsx";
import { PasswordField } from "../ui/form/password-field.tsx";

/** Characters asked for where nothing else is known (NIST SP 800-63B-4 §3.1.1.2). */
const usualMinimum = 15;

/** Characters of a password (NIST SP 800-63B-4 §3.1.1.2): eight where a code comes with it. Undefined: unknown. */
export function minimumCharacters(
  role: Role,
  security: Settings["security"] | null | undefined,
): number | undefined {
  if (!security) return undefined;
  const { password_min_length: length } = security;
  return length === usualMinimum && isFactorRequired(role, security) ? 8 : length;
}

/** True: the device's policy asks users of this role for a second factor. */
export function isFactorRequired(role: Role, { require_2fa: policy }: Settings["security"]): boolean {
  return policy === "all" || (policy === "admins" && role === "admin");
}

/** A field for a new password, with its length as it is typed, and the agent's objection. */
export function NewPasswordField({
  label,
  value,
  onInput,
  error,
  pointer,
  minimum = usualMinimum,
}: Edited<string> & {
  readonly label: string;
  readonly error: unknown;
  readonly pointer: string;
  /** Characters. */
  readonly minimum?: number | undefined;
}) {
  // The agent counts them so as well.
  const length = [...value.normalize("NFKC")].length;
  return (
    <PasswordField
      label={label}
      name="new-password"
      hint={
        <>
          {length === 0 ? t.person.passwordLength(minimum) : t.person.passwordCount(length, minimum)}{" "}
          {t.person.passwordAdvice}
        </>
      }
      error={newPasswordError(error, pointer)}
      value={value}
      onInput={onInput}
      autocomplete="new-password"
    />
  );
}

/** The agent's objection to a new password; null: it has none. */
function newPasswordError(error: unknown, pointer: string): string | null {
  // The only rule for the form of a password is that there is one.
  if (/^(?!password_)/.test(entryAt(error, pointer)?.code ?? "password_"))
    return t.problem.codes.password_too_short;
  return errorAt(error, pointer, /^password_(?!wrong)/);
}
