import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { callWithTag } from "../client/call.ts";
import type { Changing } from "../client/parts.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { keptEntries } from "../session/reload.ts";
import { me, userChanged } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { focusFirst } from "../ui/focus.ts";
import { Form } from "../ui/form/form.tsx";
import { Banner, Section } from "../ui/page.tsx";
import { DisplayNameField, RoleField } from "./user-fields.tsx";

const members = ["display_name", "role"] as const;

type UserChange = Partial<Pick<User, (typeof members)[number]>>;

interface Reading {
  readonly value: User;
  readonly etag: string | null;
}

interface Saved extends Reading {
  /** True: nothing was saved, because another user has changed the same members; `value` has the current ones. */
  readonly isConflict: boolean;
}

type FormProps = Pick<Changing, "onDone">;

/** The members of a user that can be changed, as they were when the page was opened. */
export function PersonForm({ id, ...rest }: FormProps & { readonly id: string }) {
  const user = useResource("getUser", { params: { id } }, { isStill: true });
  const { value, etag } = user;
  // The provider says both at each sign-in.
  if (value === null || value.origin !== "local") return null;
  return (
    <Section title={t.users.change}>
      <EditForm reading={{ value, etag }} onRead={(next) => user.put(next.value, next.etag)} {...rest} />
    </Section>
  );
}

function EditForm({
  reading,
  onRead,
  onDone,
}: FormProps & { readonly reading: Reading; readonly onRead: (next: Reading) => void }) {
  const { value } = reading;
  // Only what was touched, so that all else is as it is now.
  const form = `user ${value.id}`;
  const [change, setChange] = useState(() => keptEntries<UserChange>(form) ?? {});
  const [theirs, setTheirs] = useState<Saved | null>(null);
  const user = { ...value, ...change };
  const isChanged = members.some((member) => user[member] !== value[member]);
  const unsaved = useUnsaved(isChanged, { name: form, entries: () => change });
  const isMe = value.id === me().id;
  const action = useAction(async (base: Reading = reading) => {
    const saved = await saveUser(base, changeOf(base.value, change));
    if (saved.isConflict) return setTheirs(saved);
    unsaved.current = false;
    setChange({});
    setTheirs(null);
    onRead(saved);
    userChanged(saved.value);
    toast(t.users.did(t.ui.save, value.username));
    await onDone();
  });
  return (
    <Form
      form={action}
      verb={t.ui.save}
      isReady={theirs === null && isChanged}
      onCancel={isChanged ? () => setChange({}) : undefined}
    >
      {theirs !== null && (
        <div ref={focusFirst} tabIndex={-1} class="users-conflict">
          <Banner state="attention">
            <p>{t.problem.codes.etag_mismatch}</p>
            <dl>
              {members
                .filter((member) => theirs.value[member] !== value[member])
                .map((member) => (
                  <div key={member}>
                    <dt>{member === "role" ? t.person.role : t.person.displayName}</dt>
                    <dd>
                      {t.users.theirs}: {shownOf(theirs.value, member)}
                    </dd>
                    <dd>
                      {t.users.yours}:{" "}
                      {user[member] === value[member] ? t.users.untouched : shownOf(user, member)}
                    </dd>
                  </div>
                ))}
            </dl>
            <div class="buttons">
              <Button isBusy={action.isBusy} onClick={() => void action.run(theirs)}>
                {t.ui.keepMine}
              </Button>
              <Button
                onClick={() => {
                  setChange({});
                  setTheirs(null);
                  onRead(theirs);
                }}
              >
                {t.ui.takeTheirs}
              </Button>
            </div>
          </Banner>
        </div>
      )}
      <DisplayNameField
        value={user.display_name}
        onInput={(display_name) => setChange({ ...change, display_name })}
        error={action.error}
      />
      <RoleField value={user.role} onInput={(role) => setChange({ ...change, role })} />
      {isMe && user.role !== "admin" && (
        <p role="alert">
          <strong>{t.users.selfRole}</strong>
        </p>
      )}
    </Form>
  );
}

/** The members to send: those that were edited and differ from the saved ones. */
function changeOf(value: User, change: UserChange): UserChange {
  return Object.fromEntries(
    members.flatMap((member) =>
      change[member] === undefined || change[member] === value[member] ? [] : [[member, change[member]]],
    ),
  );
}

function shownOf({ display_name, role }: User, member: (typeof members)[number]) {
  if (member === "role") return t.person.roles[role];
  return <bdi>{display_name || "–"}</bdi>;
}

/** Saves the change unless another user has changed one of the members since `base` was read. */
async function saveUser({ value, etag }: Reading, change: UserChange): Promise<Saved> {
  const params = { id: value.id };
  try {
    const saved = await callWithTag("updateUser", { params, body: change }, { ifMatch: etag });
    return { ...saved, isConflict: false };
  } catch (error) {
    if (codeOf(error) !== "etag_mismatch") throw error;
  }
  const now = await callWithTag("getUser", { params });
  if (members.some((member) => now.value[member] !== value[member])) return { ...now, isConflict: true };
  // Only members that are not edited here differ, such as the time left of a lock.
  return saveUser({ value: now.value, etag: null }, change);
}
