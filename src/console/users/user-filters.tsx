import { roleNames } from "../../contract/shapes.ts";
import type { UserList } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { Chips, Filters } from "../lists/filters.tsx";
import { place } from "../navigation/navigation.ts";
import { useStore } from "../store.ts";
import { TextField } from "../ui/form/field.tsx";
import { changeQuery, longestSearch } from "./users-query.ts";

/** Narrows the list of users; the address keeps the filters. Each chip has the number of users that it matches. */
export function UserFilters({ counts }: { readonly counts: UserList["counts"] | null }) {
  const { query } = useStore(place);
  const { q = "", role = "", state = "", factor = "", seen = "" } = query;
  const chip = (value: string, text: string, count: number) => ({ value, text, count });
  return (
    <div class="users-filters apart">
      <TextField
        type="search"
        label={t.users.search}
        value={q}
        maxLength={longestSearch}
        spellcheck={false}
        onInput={(value) => changeQuery({ q: value })}
      />
      {counts && (
        <Filters inForce={[role, state, factor, seen].filter(Boolean).length}>
          <div class="chip-row line">
            <Chips
              label={t.person.role}
              value={role}
              onChange={(value) => changeQuery({ role: value })}
              options={roleNames.map((name) => chip(name, t.person.roles[name], counts[name]))}
            />
            <Chips
              label={t.person.state}
              value={state}
              onChange={(value) => changeQuery({ state: value })}
              options={[
                // As long as everybody is, it would narrow nothing.
                chip("active", t.users.states.active, counts.locked + counts.disabled && counts.active),
                chip("locked", t.users.states.locked, counts.locked),
                chip("disabled", t.users.states.disabled, counts.disabled),
                chip("former", t.users.states.formerProvider, counts.former_provider),
              ]}
            />
            <Chips
              label={t.ui.twoFactor}
              value={factor}
              onChange={(value) => changeQuery({ factor: value })}
              options={[chip("none", t.users.withoutFactor, counts.without_two_factor)]}
            />
            <Chips
              label={t.person.lastSignIn}
              value={seen}
              onChange={(value) => changeQuery({ seen: value })}
              options={[chip("never", t.users.neverSignedIn, counts.never_signed_in)]}
            />
          </div>
        </Filters>
      )}
    </div>
  );
}
