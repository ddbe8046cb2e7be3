import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { codeOf } from "../client/problem.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { useUnsaved } from "../navigation/use-unsaved.ts";
import { me, signOut, userChanged } from "../session/session.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { CheckField } from "../ui/form/field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Menu } from "../ui/menu.tsx";
import { Facts, Skeleton } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";
import { EditConflict } from "./edit-conflict.tsx";
import { members, type Reading, type Saved, saveUser, type UserChange } from "./save-user.ts";
import { type AskedToken, DeleteToken, UserAccess } from "./user-access.tsx";
import { DisplayNameField, RoleField } from "./user-fields.tsx";
import { factorOf, UserStates } from "./user-states.tsx";
import { type ActionName, itemsOf } from "./user-table.tsx";

interface SheetProps {
  readonly isLastAdmin: boolean;
  /** Asks for what the row offers too. */
  readonly onAct: (action: ActionName, user: User) => void;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

/** The sheet of one user: the fields that can be changed, the known facts, what can be done, where they are signed in. */
export function EditUser({ id, ...rest }: SheetProps & { readonly id: string }) {
  const user = useResource("getUser", { params: { id } }, { isStill: true });
  const [asked, setAsked] = useState<AskedToken | null>(null);
  const { value, etag, error } = user;
  return (
    <Dialog title={value?.username ?? t.frame.users} shape="sheet" onClose={rest.onClose}>
      {value !== null ? (
        <EditForm reading={{ value, etag }} onRead={(next) => user.put(next.value, next.etag)} {...rest}>
          <Facts
            items={[
              [t.person.state, <UserStates key="state" user={value} />],
              [t.users.twoFactor, factorOf(value)],
              [t.person.lastSignIn, <Time key="last" at={value.last_login_at} />],
              [t.users.created, <Time key="created" at={value.created_at} />],
            ]}
          />
          <div class="buttons">
            <Menu
              label={t.users.actionsOf(value.username)}
              text={t.users.actionsHead}
              items={itemsOf(value, rest.isLastAdmin, (action) => rest.onAct(action, value))}
            />
            <Link to="/system/events" query={{ who: "user", name: value.username }} className="button plain">
              {t.users.whatTheyDid}
            </Link>
          </div>
          <UserAccess user={value} onAsk={setAsked} />
        </EditForm>
      ) : codeOf(error) === "not_found" ? (
        <p>{t.users.unknown}</p>
      ) : (
        error === null && <Skeleton lines={12} />
      )}
      {codeOf(error) !== "not_found" && <ReadProblem of={[user]} />}
      {asked !== null && <DeleteToken asked={asked} onClose={() => setAsked(null)} />}
    </Dialog>
  );
}

function EditForm({
  reading,
  onRead,
  isLastAdmin,
  onDone,
  onClose,
  children,
}: SheetProps & {
  readonly reading: Reading;
  readonly onRead: (next: Reading) => void;
  readonly children: ComponentChildren;
}) {
  const { value } = reading;
  // Only what was touched, so that all else is as it is now.
  const [change, setChange] = useState<UserChange>({});
  const [theirs, setTheirs] = useState<Saved | null>(null);
  const user = { ...value, ...change };
  const unsaved = useUnsaved(members.some((member) => user[member] !== value[member]));
  const isMe = value.id === me().id;
  const action = useAction(async (base: Reading = reading) => {
    const saved = await saveUser(base, changeOf(base.value, change));
    if (saved.isConflict) return setTheirs(saved);
    unsaved.current = false;
    setChange({});
    setTheirs(null);
    onRead(saved);
    if (isMe && !saved.value.enabled) return signOut();
    userChanged(saved.value);
    toast(t.users.did(t.ui.save, value.username));
    void onDone();
    onClose();
  });
  const onlyAdmin = isLastAdmin ? t.users.lastAdmin : null;
  const self = !isMe
    ? null
    : !user.enabled
      ? t.users.selfOff
      : user.role !== "admin"
        ? t.users.selfRole
        : null;
  return (
    <Form form={action} verb={t.ui.save} isReady={theirs === null} onCancel={onClose}>
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
      {/* The provider says both at each sign-in. */}
      {value.origin === "local" && (
        <>
          <DisplayNameField
            value={user.display_name}
            onInput={(display_name) => setChange({ ...change, display_name })}
            error={action.error}
            isFirst
          />
          <RoleField
            value={user.role}
            onInput={(role) => setChange({ ...change, role })}
            onlyAdmin={onlyAdmin}
          />
        </>
      )}
      <CheckField
        label={t.users.enabled}
        hint={onlyAdmin ?? (user.enabled ? null : t.users.actions.disable.text(user.username))}
        value={user.enabled}
        isDisabled={isLastAdmin}
        onInput={(enabled) => setChange({ ...change, enabled })}
      />
      {self !== null && (
        <p role="alert">
          <strong>{self}</strong>
        </p>
      )}
      {children}
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
