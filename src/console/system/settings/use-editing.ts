import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { onStale } from "../../client/cache.ts";
import { callWithTag } from "../../client/call.ts";
import { greet } from "../../client/connection.ts";
import { Cancelled, codeOf } from "../../client/problem.ts";
import { useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { guardLeaving } from "../../navigation/navigation.ts";
import { keptEntries } from "../../session/reload.ts";
import { isOneOf, me } from "../../session/session.ts";
import { createStore, type Store, useStore } from "../../store.ts";
import { toast } from "../../ui/dialog/toasts.tsx";
import {
  changedBetween,
  changeOf,
  type Draft,
  emptyDraft,
  isSame,
  type MemberSchema,
  rebased,
  schemaAt,
  settled,
  withTyped,
} from "./draft.ts";
import { labelOf, schemaRead } from "./setting-words.ts";

/**
 * Settings under edit, for any page that has some of them: `useEditing()` in the page, `<SettingsForm editing>` round
 * its `<SettingField editing pointer>`s. The guard against leaving, saving, and conflicts with others come with it.
 */
export type Editing = ReturnType<typeof useEditing>;

/** The name of the form where its entries are kept over a reload. */
const formName = "settings";

/** A change is merged with those of others at most this often before it is given up. */
const mostTries = 4;

export function useEditing() {
  const [store] = useState(() => createStore(keptEntries<Draft>(formName) ?? emptyDraft));
  const draft = useStore(store);
  const schema = useResource("getSettingsSchema");
  const [readError, setReadError] = useState<unknown>(null);
  const [isAsking, setIsAsking] = useState(false);
  const members = schema.value as MemberSchema | null;
  if (members !== null) schemaRead(members);
  const reload = () => void read(store, members).then(() => setReadError(null), setReadError);
  useEffect(() => {
    if (members !== null) reload();
  }, [members]);
  useChangesOfOthers(reload);
  useEffect(() => {
    const isUnsaved = (): boolean => Object.keys(store.read().typed).length > 0;
    const entries = (): Draft => ({ ...store.read(), sent: {} });
    return guardLeaving(isUnsaved, { name: formName, entries });
  }, []);
  const saving = useAction(async () => {
    setIsAsking(false);
    if (await save(store, members)) toast(t.ui.saved);
    else setIsAsking(true);
  });
  return {
    draft,
    /** null: not read yet. */
    schema: members,
    readError: schema.error ?? readError,
    saving,
    /** The person is asked whose change is to stay. */
    isAsking,
    reload: () => {
      void schema.reload();
      reload();
    },
    type: (pointer: string, value: unknown) => store.set(withTyped(store.read(), pointer, value)),
    settle: (pointer: string, isMine: boolean) => store.set(settled(store.read(), pointer, isMine)),
    discard: () => {
      store.set({ ...store.read(), typed: {}, collisions: {}, sent: {} });
      saving.forget();
    },
    /** Closes the question; what was typed stays. */
    stopAsking: () => setIsAsking(false),
  };
}

/** True: the role of the user may change the setting. */
export function mayChange(schema: MemberSchema | null, pointer: string): boolean {
  const writer = schema && schemaAt(schema, pointer)["x-writer"];
  return me().role === "admin" || (isOneOf("operator") && writer === "operator");
}

function useChangesOfOthers(reload: () => void): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => onStale("getSettings", () => latest.current()), []);
}

/** Receivers are no fields of a form: they are drawn as they are, and written one by one, on this page too. */
const savedApart = "/notify/";

/** Reads the settings again, and says which ones another user has changed in the meantime. */
async function read(store: Store<Draft>, schema: MemberSchema | null): Promise<void> {
  const { base: before, etag: tag, sent } = store.read();
  const { value, etag } = await callWithTag("getSettings");
  // A value that was taken meanwhile may be newer than this.
  if (store.read().etag !== tag) return read(store, schema);
  take(store, value, etag);
  if (before === null || schema === null) return;
  const changed = changedBetween(schema, before, value).filter(
    (pointer) => !(pointer in sent) && !pointer.startsWith(savedApart),
  );
  if (changed.length > 0) toast(t.settings.changedMeanwhile(changed.map(labelOf).join(", ")));
}

function take(store: Store<Draft>, value: Settings, etag: string | null): void {
  const { base } = store.read();
  store.set(rebased(store.read(), value, etag));
  if (base !== null && !isSame([base.device, base.console], [value.device, value.console])) void greet();
}

/** True: saved; false: another user has changed the same, and the person has to choose. */
async function save(store: Store<Draft>, schema: MemberSchema | null): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    const draft = store.read();
    if (Object.keys(draft.collisions).length > 0) return false;
    if (Object.keys(draft.typed).length === 0) throw new Cancelled();
    store.set({ ...draft, sent: draft.typed });
    try {
      const body = changeOf(draft);
      const { value, etag } = await callWithTag("updateSettings", { body }, { ifMatch: draft.etag });
      take(store, value, etag);
      store.set({ ...store.read(), sent: {} });
      return true;
    } catch (error) {
      if (codeOf(error) !== "etag_mismatch" || tries === mostTries) throw error;
      await read(store, schema);
    }
  }
}
