import type { Role } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import type { Person } from "../../client/parts.ts";
import { UsernameField } from "../../sign-in/username-field.tsx";
import { Form, type Typed, useForm } from "../../ui/form/form.tsx";
import { DisplayNameField, RoleField } from "../user-fields.tsx";
import { NewPassword } from "./new-password.tsx";

export interface NewUser {
  readonly username: string;
  readonly display_name: string;
  readonly role: Role;
  /** null: the agent makes one. */
  readonly password: string | null;
}

export const blankUser: NewUser = { username: "", display_name: "", role: "readonly", password: null };

/** True: nothing was typed or chosen yet. */
export function isBlank({ username, display_name, role, password }: NewUser): boolean {
  return ![username, display_name, password].some(Boolean) && role === blankUser.role;
}

export function AddUser({
  typed,
  onAdded,
  onCancel,
}: {
  readonly typed: Typed<NewUser>;
  readonly onAdded: (person: Person) => void;
  readonly onCancel: () => void;
}) {
  const form = useForm<NewUser>(
    blankUser,
    async ({ password, role, ...names }) => {
      const username = names.username.trim();
      const display_name = names.display_name.trim();
      const body = { username, display_name, role, ...(password !== null && { password }) };
      const { initial_password = null } = await call("createUser", { body });
      onAdded({ username, display_name, password: initial_password });
    },
    typed,
  );
  const { error } = form;
  return (
    <Form form={form} verb={t.users.add} onCancel={onCancel}>
      <UsernameField {...form.field("username")} error={error} isFirst />
      <DisplayNameField {...form.field("display_name")} error={error} />
      <RoleField {...form.field("role")} />
      <NewPassword {...form.field("password")} error={error} role={form.typed.role} />
    </Form>
  );
}
