import { t } from "../../catalogue/words.ts";
import { Link } from "../../navigation/link.tsx";
import { navigate } from "../../navigation/navigation.ts";
import { SelectField } from "../../ui/form/field.tsx";
import type { SectionName } from "./sections.ts";

/** Leads to the sections: a list where there is room beside them, else a choice above them. The style shows one of the two. */
export function SectionsMenu({
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
            {t.settings.groups[name]} <span class="hint">{countOf(name)}</span>
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
