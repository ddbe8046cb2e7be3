import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { isOneOf } from "../session/session.ts";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { visible } from "../ui/visible.ts";
import { knownEntries, userEntry } from "./entries.ts";
import { type Entry, found } from "./found.ts";
import "../styles/parts/palette.css";

/** Goes to a page, a user or a setting, or does something, by its name (ARIA APG: combobox with a list box). */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [sought, setSought] = useState("");
  const [chosen, setChosen] = useState(0);
  const known = useMemo(knownEntries, []);
  const users = useUsersCalled(sought);
  const entries = found([...known, ...users], sought);
  const at = Math.min(chosen, entries.length - 1);
  const id = useId();
  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter" && !event.isComposing) run(entries[at]);
    else if (step !== undefined) setChosen((at + step + entries.length) % Math.max(1, entries.length));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t.frame.find} onClose={onClose}>
      <div class="palette">
        <input
          data-first
          type="text"
          role="combobox"
          aria-label={t.palette.field}
          aria-expanded={entries.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
          placeholder={t.palette.field}
          autocomplete="off"
          spellcheck={false}
          maxLength={mostLetters}
          value={sought}
          onInput={({ currentTarget }) => {
            setSought(currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKey}
        />
        <p class="unseen" role="status">
          {sought !== "" && t.palette.found(entries.length)}
        </p>
        <div id={id} class="palette-list" role="listbox" tabIndex={-1} aria-label={t.frame.find}>
          {entries.map((entry, index) => (
            <Option
              key={`${entry.kind} ${entry.text}`}
              {...{ entry, id: `${id}-${index}`, isChosen: index === at, run }}
            />
          ))}
        </div>
        {entries.length === 0 && <p class="hint">{t.palette.none(visible(sought))}</p>}
        <p class="hint palette-keys">{t.palette.hint}</p>
      </div>
    </Dialog>
  );
}

/** One that was chosen by the keys is kept in sight. */
function Option({
  entry,
  id,
  isChosen,
  run,
}: {
  readonly entry: Entry;
  readonly id: string;
  readonly isChosen: boolean;
  readonly run: (entry: Entry) => void;
}) {
  useEffect(() => {
    if (isChosen) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    // The keyboard stays in the field, which names the one that is chosen.
    <button
      id={id}
      type="button"
      role="option"
      class="line between"
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={() => run(entry)}
    >
      <bdi>{visible(entry.text)}</bdi>
      <span class="hint">{t.palette.kinds[entry.kind]}</span>
    </button>
  );
}

/** The agent searches for no more. */
const mostLetters = 64;

/** Milliseconds without a letter before the agent is asked. */
const pauseMilliseconds = 150;

/** Users whose name has the text in it, for those who may see them. */
function useUsersCalled(sought: string): readonly Entry[] {
  const [users, setUsers] = useState<readonly Entry[]>([]);
  const q = sought.trim();
  useEffect(() => {
    setUsers([]);
    if (q === "" || !isOneOf("admin")) return;
    const ending = new AbortController();
    const timer = setTimeout(() => {
      call("listUsers", { query: { q, limit: 5 } }, { signal: ending.signal }).then(
        ({ items }) => setUsers(items.map(userEntry)),
        // Without them it is still of use; the page of the users says what is wrong.
        () => undefined,
      );
    }, pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [q]);
  return users;
}

export { Palette as Body };
