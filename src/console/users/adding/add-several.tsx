import { useEffect, useMemo, useState } from "preact/hooks";
import { roleNames } from "../../../contract/shapes.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import type { SeveralProps } from "../../client/parts.ts";
import { useAction, useStop } from "../../client/use-action.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { FileField } from "../../ui/form/file-field.tsx";
import { Form } from "../../ui/form/form.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { oneByOne } from "../one-by-one.ts";
import { readAllUsers } from "../use-users.ts";
import { type Column, type CsvWords, type Entry, peopleFromCsv, textOfCsv } from "./people-from-csv.ts";

/** People who are added at once: more would be a sheet too long to read, and minutes of hashing on a small device. */
const mostAtOnce = 200;

/** Bytes of a file: many times what so many lines have, and little enough to be read while one types. */
const largestFile = 256 * 1024;

/** A list of people, pasted or from a file: checked line by line as it is typed, and made one by one once it is right. */
export function Body({ text, onText, onMade, onDone, onCancel }: SeveralProps) {
  const known = useUserNames();
  const names = known.names ?? noNames;
  const { entries, unused } = useMemo(() => peopleFromCsv(text, csvWords(), names), [text, names]);
  const fresh = entries.filter(({ isKnown }) => !isKnown);
  const faulty = fresh.filter(({ faults }) => faults.length > 0).length;
  const [fault, setFault] = useState<string | null>(null);
  const { reached, stop, ...adding } = useAdding(fresh, { onMade, onDone });
  const refusal = fault ?? (fresh.length > mostAtOnce ? t.adding.tooMany(mostAtOnce) : null);
  const isChecked = refusal === null && known.names !== null;
  const type = (lines: string): void => {
    setFault(null);
    onText(lines);
  };
  const take = async (file: File | null): Promise<void> => {
    if (file === null) return setFault(null);
    if (file.size > largestFile) return setFault(t.adding.tooMany(mostAtOnce));
    try {
      type(textOfCsv(new Uint8Array(await file.arrayBuffer())));
    } catch {
      setFault(t.adding.noText);
    }
  };
  return (
    <Form
      form={adding}
      verb={t.adding.addMany(fresh.length)}
      why={refusal ?? (faulty > 0 ? t.adding.correctFirst : null)}
      isReady={isChecked && fresh.length > 0}
      {...(adding.isBusy ? { others: <Button onClick={stop}>{t.users.stop}</Button> } : { onCancel })}
    >
      <FileField
        label={t.adding.file}
        hint={t.adding.fileHint}
        error={refusal}
        accept=".csv"
        isDisabled={adding.isBusy}
        onInput={(file) => void take(file)}
      />
      <TextField
        label={t.adding.lines}
        hint={t.adding.linesHint}
        value={text}
        onInput={type}
        isDisabled={adding.isBusy}
        spellcheck={false}
        lines={6}
        isFirst
      />
      <ProblemView error={known.error} />
      <p role="status">
        {adding.isBusy
          ? t.users.manyProgress(reached, fresh.length)
          : isChecked &&
            entries.length > 0 &&
            t.adding.checked({ fresh: fresh.length, known: entries.length - fresh.length, faulty })}
      </p>
      {adding.isBusy && <progress max={fresh.length} value={reached} aria-label={t.ui.progress} />}
      {unused.length > 0 && (
        <p class="hint">
          {t.adding.unused} <bdi>{unused.join(", ")}</bdi>
        </p>
      )}
      {entries.length > 0 && <Checked entries={entries.slice(0, mostAtOnce)} />}
    </Form>
  );
}

const noNames: ReadonlySet<string> = new Set();

/** The names of all users there are; null: they are not known yet. */
function useUserNames() {
  const [names, setNames] = useState<ReadonlySet<string> | null>(null);
  const { run, error } = useAction(async () => {
    const users = await readAllUsers({});
    setNames(new Set(users.map(({ username }) => username)));
  });
  useEffect(() => void run(), []);
  return { names, error };
}

/** Makes one after another. */
function useAdding(fresh: readonly Entry[], { onMade, onDone }: Pick<SeveralProps, "onMade" | "onDone">) {
  const [reached, setReached] = useState(0);
  const { begin, stop } = useStop();
  const make = ({ username, display_name, role, enabled }: Entry) =>
    call("createUser", { body: { username, display_name, role, enabled } });
  const action = useAction(async () => {
    const failed = new Map<string, unknown>();
    let made = 0;
    setReached(0);
    await oneByOne(fresh, make, begin(), ({ username, display_name }, end) => {
      if ("error" in end) failed.set(username, end.error);
      else {
        onMade({ username, display_name, password: end.result.initial_password ?? null });
        made += 1;
      }
      setReached(made + failed.size);
    });
    if (made + failed.size > 0) onDone({ made, failed, left: fresh.length - made - failed.size });
  });
  return { ...action, reached, stop };
}

/** Words of this language beside the contract's. */
function csvWords(): CsvWords {
  const columns: readonly [string, Column][] = [
    [t.ui.name, "display_name"],
    [t.person.displayName, "display_name"],
    [t.signIn.username, "username"],
    [t.person.role, "role"],
  ];
  const own = ["username", "display_name", "role", "enabled"] as const;
  return {
    columns: Object.fromEntries([...columns.map(inLowerCase), ...own.map((name) => [name, name])]),
    roles: Object.fromEntries(
      roleNames.flatMap((role) => [inLowerCase([t.person.roles[role], role]), [role, role]]),
    ),
  };
}

function inLowerCase<T>([word, meaning]: readonly [string, T]): readonly [string, T] {
  return [word.toLowerCase(), meaning];
}

/** Every line with its outcome, those that need a correction first. */
function Checked({ entries }: { readonly entries: readonly Entry[] }) {
  const isFaulty = ({ faults, isKnown }: Entry): boolean => faults.length > 0 && !isKnown;
  const sorted = [...entries].sort((one, other) => Number(isFaulty(other)) - Number(isFaulty(one)));
  return (
    <ol class="users-many" aria-label={t.adding.check}>
      {sorted.map((entry) => (
        <li key={entry.line} class="line between">
          <span>
            <span class="hint">{entry.line}</span> <bdi>{entry.username}</bdi>{" "}
            {entry.display_name !== "" && <bdi class="hint">{entry.display_name}</bdi>}
          </span>
          {isFaulty(entry) ? (
            <Badge state="wrong">{entry.faults.map((fault) => t.adding.faults[fault]).join(". ")}</Badge>
          ) : entry.isKnown ? (
            <Badge state="unknown">{t.adding.isKnown}</Badge>
          ) : (
            <Badge state="good">{t.person.roles[entry.role]}</Badge>
          )}
        </li>
      ))}
    </ol>
  );
}
