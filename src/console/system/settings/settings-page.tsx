import { useEffect } from "preact/hooks";
import type { Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { navigate, place } from "../../navigation/navigation.ts";
import { isOneOf } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/form/field.tsx";
import { useTyped } from "../../ui/form/use-typed.ts";
import { bodyOf, Empty, Section } from "../../ui/page.tsx";
import {
  type FoundSection,
  foundElsewhere,
  type SectionName,
  sectionNamed,
  sectionNames,
  sectionOf,
  sectionsWith,
  unsavedIn,
} from "./sections.ts";
import { SettingField } from "./setting-field.tsx";
import { labelOf } from "./setting-words.ts";
import { SettingsForm } from "./settings-form.tsx";
import { type Editing, mayChange, useEditing } from "./use-editing.ts";
import "../../styles/parts/settings.css";

/** One section at a time, by `?open=` in the address, or what a search has found in all of them, by `?find=`. */
export function SettingsPage() {
  const editing = useEditing();
  const { path, query } = useStore(place);
  const sought = query.find ?? "";
  // Links of earlier releases have the name as an anchor.
  const named = query.open ?? location.hash.slice(1);
  const [typed, seek] = useTyped(
    sought,
    (find) => void navigate(path, { open: named, find }, { replace: true }),
  );
  const sections = sectionsWith(editing, sought);
  const found = sections.filter(({ fields }) => fields.some(({ isFound }) => isFound));
  const open = sought === "" ? sectionNamed(named) : null;
  const elsewhere = open === null ? foundElsewhere(editing, sought) : [];
  const isRead = editing.draft.base !== null && editing.schema !== null;
  useHeadFocus(isRead && open !== null && named !== "");
  const draw = (section: FoundSection) => (
    <OneSection
      key={section.name}
      section={section}
      isOpen={section.name === open}
      editing={editing}
      sought={sought}
    />
  );
  return (
    <div class="settings">
      <aside>
        <TextField label={t.settings.find} type="search" value={typed} onInput={seek} />
        <SectionsMenu
          names={open === null ? found.map(({ name }) => name) : sectionNames}
          open={open}
          unsaved={unsavedIn(editing)}
        />
      </aside>
      <div>
        {isOneOf("readonly") && <p>{t.settings.readonly}</p>}
        <p class="settings-found" role="status">
          {open === null &&
            isRead &&
            t.settings.found(found.flatMap(({ fields }) => fields.filter(({ isFound }) => isFound)).length)}
        </p>
        <SettingsForm
          editing={editing}
          isKept={!isOneOf("readonly") && open !== "notifications"}
          reveal={(pointer) => {
            const section = sectionOf(pointer);
            if (section !== open) void navigate(path, { open: section }, { replace: true });
          }}
          beside={sections.filter(isApart).map(draw)}
        >
          {sections.filter((section) => !isApart(section)).map(draw)}
          {elsewhere.map(({ to, names }) => (
            <p key={to}>
              {to === "/updates" ? t.frame.updates : t.system.tabs.device}:{" "}
              <Link to={to}>{names.join(", ")}</Link>
            </p>
          ))}
          {open === null && [...found, ...elsewhere].length === 0 && (
            <Empty>
              <p>{t.settings.foundNone(sought)}</p>
              <Button onClick={() => seek("")}>{t.settings.showAll}</Button>
            </Empty>
          )}
        </SettingsForm>
      </div>
    </div>
  );
}

/** Leads to the sections: a list where there is room beside them, else a choice above them. The style shows one of the two. */
function SectionsMenu({
  names,
  open,
  unsaved,
}: {
  readonly names: readonly SectionName[];
  /** null: what a search has found is shown instead. */
  readonly open: SectionName | null;
  readonly unsaved: (name: SectionName) => number;
}) {
  const countOf = (name: SectionName): string =>
    unsaved(name) === 0 ? "" : t.settings.unsavedHere(unsaved(name));
  const options = names.map((name) => ({
    value: name,
    text: [t.settings.groups[name], countOf(name)].filter(Boolean).join(" · "),
  }));
  return (
    <>
      <nav aria-label={t.system.tabs.settings}>
        {names.map((name) => (
          <Link key={name} to="/system/settings" query={{ open: name }} isCurrent={name === open}>
            {t.settings.groups[name]} {countOf(name) && <span class="hint">{countOf(name)}</span>}
          </Link>
        ))}
      </nav>
      <div class="settings-choice">
        <SelectField
          label={t.settings.section}
          value={open ?? ""}
          onInput={(name) => name !== "" && void navigate("/system/settings", { open: name })}
          options={open === null ? [{ value: "", text: t.settings.searched }, ...options] : options}
        />
      </div>
    </>
  );
}

/** Receivers are no fields of the form, and have forms of their own. */
function isApart({ name }: Pick<FoundSection, "name">): boolean {
  return name === "notifications";
}

/** A section is in the page also while another one is open: what is typed stays in its fields, and paper shows it all. */
function OneSection({
  section: { name, fields },
  isOpen,
  editing,
  sought,
}: {
  readonly section: FoundSection;
  readonly isOpen: boolean;
  readonly editing: Editing;
  readonly sought: string;
}) {
  const isFound = fields.some((field) => field.isFound);
  const isShown = sought === "" ? isOpen : isFound;
  const isOthers = !fields.some(({ pointer }) => mayChange(editing.schema, pointer));
  const notify = editing.draft.base?.notify;
  return (
    <div class={isShown ? "settings-group open" : "settings-group"} hidden={sought !== "" && !isFound}>
      <Section title={t.settings.groups[name]}>
        {isOthers && !isApart({ name }) && isOneOf("operator") && <p class="hint">{t.settings.adminOnly}</p>}
        {isApart({ name }) && notify && <NotificationsBody notify={notify} isShown={isShown} />}
        {(isApart({ name }) ? [] : fields).map((field) => (
          <div key={field.pointer} hidden={!field.isFound}>
            <SettingField editing={editing} pointer={field.pointer} isReasonSaid={isOthers} />
          </div>
        ))}
        {name === "clock" && sought === "" && <TimeZone />}
      </Section>
    </div>
  );
}

/** The zone is no setting, but looked for beside the clock's. */
function TimeZone() {
  return (
    <div class="field setting-text">
      <strong>{labelOf("/host/time_zone")}</strong>
      <bdi>{useResource("getSystemFacts").value?.time_zone}</bdi>
      <Link to="/system/device" query={{ open: "time_zone" }}>
        {t.settings.changeThere}
      </Link>
    </div>
  );
}

/** The receivers of messages, which are saved one by one. Their code is loaded when they are shown; paper has their names. */
function NotificationsBody({
  notify: { receivers },
  isShown,
}: {
  readonly notify: Settings["notify"];
  readonly isShown: boolean;
}) {
  if (isOneOf("readonly")) return <p>{t.settings.hidden}</p>;
  if (isShown) return <Receivers />;
  return <p>{receivers.map(({ name }) => name).join(", ") || t.settings.none}</p>;
}

const Receivers = bodyOf("notifications", 8);

/** Gives the keyboard to the head of the section that the address names, unless it is in a field that led there. */
function useHeadFocus(isNamed: boolean): void {
  const at = useStore(place);
  useEffect(() => {
    const isInUse = "aside :is(input, select), .refusals, .settings-group.open *";
    if (!isNamed || document.activeElement?.matches(isInUse)) return;
    const head = document.querySelector<HTMLElement>(".settings-group.open h2");
    head?.setAttribute("tabindex", "-1");
    head?.scrollIntoView({ block: "nearest" });
    head?.focus({ preventScroll: true });
  }, [isNamed, at]);
}

export const pages = { "/system/settings": SettingsPage };
