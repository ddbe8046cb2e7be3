import { t } from "../catalogue/words.ts";
import { place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { SelectField, TextField } from "../ui/field.tsx";
import { changeQuery, longestSearch } from "./users-query.ts";

/** Which of the users are shown; all of it stands in the address. */
export function UserFilters() {
  const { q = "", role = "", state = "" } = useStore(place).query;
  const any = { value: "", text: t.users.any };
  return (
    <search class="users-filters">
      <TextField
        type="search"
        label={t.users.search}
        value={q}
        maxLength={longestSearch}
        autocomplete="off"
        spellcheck={false}
        onInput={(value) => changeQuery({ q: value })}
      />
      <SelectField
        label={t.users.role}
        value={role}
        onChange={(value) => changeQuery({ role: value })}
        options={[any, ...optionsOf(t.users.roles)]}
      />
      <SelectField
        label={t.users.state}
        value={state}
        onChange={(value) => changeQuery({ state: value })}
        options={[any, ...optionsOf(t.users.states)]}
      />
    </search>
  );
}

function optionsOf(words: Readonly<Record<string, string>>): { value: string; text: string }[] {
  return Object.entries(words).map(([value, text]) => ({ value, text }));
}
