import { useState } from "preact/hooks";
import type { Role, User } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import type { AddedSeveral, Changing, Person } from "../../client/parts.ts";
import { useResource } from "../../client/use-resource.ts";
import { mayLeave } from "../../navigation/navigation.ts";
import { useUnsaved } from "../../navigation/use-unsaved.ts";
import { keptEntries } from "../../session/reload.ts";
import { minimumCharacters, NewPasswordField } from "../../sign-in/new-password-field.tsx";
import { UsernameField } from "../../sign-in/username-field.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import type { Edited } from "../../ui/form/field.tsx";
import { Form, type Typed, useForm } from "../../ui/form/form.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";
import { bodyOf } from "../../ui/page.tsx";
import { reasonOf } from "../one-by-one.ts";
import { DisplayNameField, RoleField } from "../user-fields.tsx";
import { HandOver, useShownOnce } from "./hand-over.tsx";
import "../../styles/parts/people/adding.css";

/** The name of the form where its entries are kept over a reload. */
const formName = "people";

interface Entries {
  readonly typed: NewUser;
  readonly list: string;
}

/** The sheet that people are added with, one after another or by a list; it goes on to a card for each of them. */
export function Body({ onDone, onClose }: Changing) {
  const [kept] = useState(() => keptEntries<Entries>(formName) ?? { typed: blankUser, list: "" });
  const [typed, setTyped] = useState(kept.typed);
  const [list, setList] = useState(kept.list);
  const [people, setPeople] = useState<readonly Person[]>([]);
  const [shown, show] = useState<"one" | "several" | "cards">(list === "" ? "one" : "several");
  const [outcome, setOutcome] = useState<AddedSeveral | null>(null);
  const unsaved = useUnsaved(!isBlank(typed) || list !== "", {
    name: formName,
    entries: (): Entries => ({ typed: { ...typed, password: null }, list }),
  });
  const isHandedOver = useShownOnce(people);
  const made = (person: Person): void => setPeople((before) => [person, ...before]);
  const goOn = (next: AddedSeveral | null): void => {
    setOutcome(next);
    show("cards");
    void onDone();
  };
  const onCancel = people.length === 0 ? onClose : () => show("cards");
  const isWhole = outcome === null || outcome.failed.size + outcome.left === 0;
  const title = {
    one: t.users.add,
    several: t.adding.several,
    cards: t.adding.accessOf(people.map(({ username }) => username)),
  }[shown];
  return (
    <Dialog title={title} shape="sheet" onClose={onClose}>
      {shown === "one" && (
        // Not beside the buttons of the form, which would cover its fields above the keyboard of a phone.
        <p>
          <Button onClick={() => show("several")}>{t.adding.several} …</Button>
        </p>
      )}
      {shown === "one" && (
        <AddUser
          typed={[typed, (change) => setTyped((before) => ({ ...before, ...change }))]}
          onAdded={(person) => {
            made(person);
            setTyped(blankUser);
            goOn(null);
          }}
          onCancel={onCancel}
        />
      )}
      {shown === "several" && (
        <Several
          text={list}
          onText={setList}
          onMade={made}
          onDone={(next) => {
            // The list stays while people are left to add: those who exist by now are left out of it.
            if (next.failed.size + next.left === 0) setList("");
            goOn(next);
          }}
          onCancel={onCancel}
        />
      )}
      {shown === "cards" && (
        <>
          {outcome !== null && <Outcome outcome={outcome} />}
          <HandOver
            people={people}
            others={
              <Button onClick={() => show(isWhole ? "one" : "several")}>
                {isWhole ? t.adding.another : t.adding.back}
              </Button>
            }
            onClose={() => {
              isHandedOver.current = true;
              unsaved.current = false;
              onClose();
            }}
          />
        </>
      )}
    </Dialog>
  );
}

const Several = bodyOf("several", 0);

/** The number of those who were added from a list, and why others were not. */
function Outcome({ outcome: { made, failed, left } }: { readonly outcome: AddedSeveral }) {
  return (
    <>
      <p role="status">{t.users.manyDone({ done: made, failed: failed.size, left })}</p>
      {failed.size > 0 && (
        <ul class="users-many">
          {[...failed].map(([username, error]) => (
            <li key={username} class="line between">
              <span>{username}</span>
              <Badge state="wrong">{reasonOf(error)}</Badge>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The other way to a one-use password, which is handed over by the same card. */
export function Reset({ user, onDone, onClose }: Changing & { readonly user: User }) {
  const [made, setMade] = useState<readonly Person[]>([]);
  const isHandedOver = useShownOnce(made);
  const { username, display_name, role } = user;
  const { verb, text } = t.users.actions.resetPassword;
  // null: the agent makes one.
  const form = useForm<{ password: string | null }>({ password: null }, async ({ password }) => {
    const body = password === null ? {} : { password };
    const { initial_password = null } = await call("resetPassword", { params: { id: user.id }, body });
    toast(t.users.did(verb, username));
    if (initial_password !== null) setMade([{ username, display_name, password: initial_password }]);
    await onDone();
    if (initial_password === null) onClose();
  });
  return (
    <Dialog
      title={t.users.about(verb, username)}
      onClose={() => void mayLeave().then((isLeft) => isLeft && onClose())}
    >
      {made.length === 0 ? (
        <Form form={form} verb={verb} kind="danger" onCancel={onClose}>
          <p>{text(username)}</p>
          <NewPassword {...form.field("password")} error={form.error} role={role} />
        </Form>
      ) : (
        <HandOver
          people={made}
          onClose={() => {
            isHandedOver.current = true;
            onClose();
          }}
        />
      )}
    </Dialog>
  );
}

interface NewUser {
  readonly username: string;
  readonly display_name: string;
  readonly role: Role;
  /** null: the agent makes one. */
  readonly password: string | null;
}

const blankUser: NewUser = { username: "", display_name: "", role: "readonly", password: null };

/** True: nothing was typed or chosen yet. */
function isBlank({ username, display_name, role, password }: NewUser): boolean {
  return ![username, display_name, password].some(Boolean) && role === blankUser.role;
}

function AddUser({
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

/** A password for another user: one that the agent makes, which is null here, or one that is typed. */
function NewPassword({
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
