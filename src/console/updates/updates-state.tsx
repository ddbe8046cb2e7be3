import type { UpdateProgress, Updates } from "../../contract/types.ts";
import { useResource } from "../client/use-resource.ts";
import { Badge } from "../ui/badge.tsx";
import { Said } from "../ui/spoken.tsx";
import { RemedyButton } from "./remedy-button.tsx";
import { wholeOf } from "./updates-whole.ts";

/** Sums updates up: a sentence, its cause, and one button where a person can act. */
export function UpdatesState({
  status,
  progress,
}: {
  readonly status: Updates;
  readonly progress: UpdateProgress | null;
}) {
  const { state, sentences, remedy } = wholeOf(
    status,
    progress,
    useResource("getStatus").value?.needs ?? null,
  );
  return (
    <div class="updates-state line">
      <Badge state={state}>
        <span role="status">
          {sentences.map((sentence) => (
            <span key={sentence.text}>
              <Said sentence={sentence} />{" "}
            </span>
          ))}
        </span>
      </Badge>
      {/* The head of the page has the button that checks. */}
      <RemedyButton remedy={remedy} />
    </div>
  );
}
