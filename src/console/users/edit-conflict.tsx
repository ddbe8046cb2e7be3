import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { Button } from "../ui/button.tsx";
import { focusFirst } from "../ui/focus.ts";
import { Banner } from "../ui/page.tsx";
import { members } from "./save-user.ts";

/** Shows the changes of another user, and lets the person choose between the two versions. */
export function EditConflict({
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
