import { useEffect } from "preact/hooks";
import { isFoundIn } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { Link } from "../../navigation/link.tsx";
import { navigate, place } from "../../navigation/navigation.ts";
import { isOneOf } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { useTyped } from "../../ui/form/use-typed.ts";
import { Empty, Section } from "../../ui/page.tsx";
import { pointersOf, valueAt } from "./draft.ts";
import { errorsOf } from "./errors.ts";
import { HostField, type HostPointer } from "./host-field.tsx";
import { NotificationsFold } from "./notifications-fold.tsx";
import { labelOf } from "./said.ts";
import { textOf } from "./search.ts";
import { SettingField } from "./setting-field.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { type Editing, mayChange, useEditing } from "./use-editing.ts";

/** The settings but those of the updates, which have a page of their own, in the groups that people look for. */
const groups = {
  device: "/device/",
  time: "/time/",
  windows: "/update/windows",
  security: "/security/",
  console: "/console/",
  // Its settings are no fields of the form.
  notifications: "/notify/",
} as const;

type GroupName = keyof typeof groups;

/** People look for these names of the machine among the settings, though they are changed on the page of the device. */
const ofHost: Partial<Record<GroupName, HostPointer>> = { device: "/host/name", time: "/host/time_zone" };

/** The pointers of the settings that are on the page of the updates. */
const ofUpdates = "/update/ota/";

interface Group {
  readonly name: GroupName;
  readonly pointers: readonly string[];
  readonly host: HostPointer | undefined;
}

export function SettingsPage() {
  const editing = useEditing();
  const { path, query } = useStore(place);
  // Others can follow the address: `?find=`.
  const [sought, seek] = useTyped(
    query.find ?? "",
    (find) => void navigate(path, { find }, { replace: true }),
  );
  const found = groupsWith(editing, sought);
  const isRead = editing.draft.base !== null && editing.schema !== null;
  const inForm = found.filter(({ name }) => name !== "notifications");
  useJump(isRead);
  return (
    <div class="settings">
      <aside>
        <TextField label={t.settings.find} type="search" value={sought} onInput={seek} />
        <nav aria-label={t.settings.jump}>
          {found.map(({ name }) => (
            <a key={name} href={`#${name}`} onClick={(event) => jump(event, name)}>
              {t.settings.groups[name]}
            </a>
          ))}
        </nav>
      </aside>
      <div>
        {isOneOf("readonly") && <p>{t.settings.readonly}</p>}
        <p class="settings-found" role="status">
          {sought !== "" &&
            isRead &&
            t.settings.found(found.flatMap(({ pointers, host }) => [...pointers, host ?? []].flat()).length)}
        </p>
        <SettingsForm editing={editing} isKept={!isOneOf("readonly")}>
          {inForm.map((group) => (
            <GroupSection key={group.name} group={group} editing={editing} />
          ))}
          {sought !== "" && <Elsewhere editing={editing} sought={sought} />}
          {found.length === 0 && (
            <Empty>
              <p>{t.settings.foundNone(sought)}</p>
              <Button onClick={() => seek("")}>{t.settings.showAll}</Button>
            </Empty>
          )}
        </SettingsForm>
        {editing.draft.base !== null && found.length > inForm.length && (
          <div id={idOf("notifications")} class="settings-group">
            <NotificationsFold notify={editing.draft.base.notify} isFound={sought !== ""} />
          </div>
        )}
      </div>
    </div>
  );
}

function GroupSection({
  group: { name, pointers, host },
  editing,
}: {
  readonly group: Group;
  readonly editing: Editing;
}) {
  const isOthers = pointers.length > 0 && !pointers.some((pointer) => mayChange(editing.schema, pointer));
  return (
    <div id={idOf(name)} class="settings-group">
      <Section title={t.settings.groups[name]}>
        {isOthers && isOneOf("operator") && <p class="hint">{t.settings.adminOnly}</p>}
        {pointers.map((pointer) => (
          <SettingField key={pointer} editing={editing} pointer={pointer} isReasonSaid={isOthers} />
        ))}
        {host && <HostField pointer={host} />}
      </Section>
    </div>
  );
}

/** Links to the page of the updates if settings there match. */
function Elsewhere({
  editing: { schema, draft },
  sought,
}: {
  readonly editing: Editing;
  readonly sought: string;
}) {
  if (schema === null) return null;
  const names = pointersOf(schema)
    .filter((pointer) => pointer.startsWith(ofUpdates))
    .filter((pointer) => isFoundIn(textOf(schema, pointer, valueAt(draft.base, pointer)), sought))
    .map(labelOf);
  if (names.length === 0) return null;
  return (
    <p>
      {t.settings.elsewhere} <Link to="/updates">{names.join(", ")}</Link>
    </p>
  );
}

/** The groups with what is sought in them, and with what was refused: that is never out of sight. */
function groupsWith(editing: Editing, sought: string): readonly Group[] {
  const { schema, draft } = editing;
  if (schema === null) return [];
  const all = pointersOf(schema);
  // A receiver is no value that can be said in one line.
  const valueAtPointer = (pointer: string) =>
    pointer.startsWith(groups.notifications) ? null : valueAt(draft.base, pointer);
  return (Object.keys(groups) as GroupName[])
    .map((name) => ({
      name,
      pointers: all.filter(
        (pointer) =>
          pointer.startsWith(groups[name]) &&
          (errorsOf(editing, pointer).size > 0 ||
            isFoundIn(
              `${t.settings.groups[name]}\n${textOf(schema, pointer, valueAtPointer(pointer))}`,
              sought,
            )),
      ),
      host: hostFound(name, sought),
    }))
    .filter(({ pointers, host }) => pointers.length > 0 || host !== undefined);
}

function hostFound(name: GroupName, sought: string): HostPointer | undefined {
  const pointer = ofHost[name];
  const text = pointer && `${t.settings.groups[name]}\n${t.settings.ofHost[pointer]}`;
  return text && isFoundIn(text, sought) ? pointer : undefined;
}

/** Shows the group that the address names, once it is there, and whenever another one is named. */
function useJump(isRead: boolean): void {
  const at = useStore(place);
  const named = at.query.open ?? location.hash.slice(1);
  useEffect(() => {
    if (isRead && named !== "") show(named);
  }, [isRead, at]);
}

function jump(event: MouseEvent, name: GroupName): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  // Only a part that is folded has to be opened.
  if (name === "notifications") return void navigate("/system/settings", { open: name }, { replace: true });
  history.replaceState(null, "", `#${name}`);
  show(name);
}

/** Brings a group into view, and the keyboard to it. */
function show(name: string): void {
  const group = document.getElementById(idOf(name));
  const head = group?.querySelector("h2");
  group?.scrollIntoView();
  head?.setAttribute("tabindex", "-1");
  head?.focus({ preventScroll: true });
}

/** Other elements of the page have the bare names. */
function idOf(name: string): string {
  return `group-${name}`;
}
