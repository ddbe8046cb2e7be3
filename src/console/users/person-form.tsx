import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import type { Changing } from "../client/parts.ts";
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
import { members, type Reading, type Saved, saveUser, type UserChange } from "./save-user.ts";
import { DisplayNameField, RoleField } from "./user-fields.tsx";

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
        <EditConflict
          before={value}
          theirs={theirs.value}
          yours={user}
          isBusy={action.isBusy}
          onKeep={() => void action.run(theirs)}
          onTake={() => {
            setChange({});
            setTheirs(null);
            onRead(theirs);
          }}
        />
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

/** Shows the changes of another user, and lets the person choose between the two versions. */
function EditConflict({
  before,
  theirs,
  yours,
  isBusy,
  onKeep,
  onTake,
}: {
  readonly before: User;
  readonly theirs: User;
  readonly yours: User;
  readonly isBusy: boolean;
  readonly onKeep: () => void;
  readonly onTake: () => void;
}) {
  const words = { display_name: t.person.displayName, role: t.person.role, enabled: t.person.state };
  return (
    <div ref={focusFirst} tabIndex={-1} class="users-conflict">
      <Banner state="attention">
        <p>{t.problem.codes.etag_mismatch}</p>
        <dl>
          {members
            .filter((member) => theirs[member] !== before[member])
            .map((member) => (
              <div key={member}>
                <dt>{words[member]}</dt>
                <dd>
                  {t.users.theirs}: {shownOf(theirs, member)}
                </dd>
                <dd>
                  {t.users.yours}:{" "}
                  {yours[member] === before[member] ? t.users.untouched : shownOf(yours, member)}
                </dd>
              </div>
            ))}
        </dl>
        <div class="buttons">
          <Button isBusy={isBusy} onClick={onKeep}>
            {t.ui.keepMine}
          </Button>
          <Button onClick={onTake}>{t.ui.takeTheirs}</Button>
        </div>
      </Banner>
    </div>
  );
}

function shownOf({ display_name, role }: User, member: (typeof members)[number]) {
  if (member === "role") return t.person.roles[role];
  return <bdi>{display_name || "–"}</bdi>;
}
