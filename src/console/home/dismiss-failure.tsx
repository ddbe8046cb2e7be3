import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { greet } from "../client/connection.ts";
import { useAction } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";
import { ProblemView } from "../ui/problem-view.tsx";

/** Ends the need of a failed update, for an administrator who knows enough of it. */
export function DismissFailure({ releaseId, what }: { readonly releaseId: string; readonly what: string }) {
  const action = useAction(async () => {
    await call("dismissFailedUpdate", { body: { release_id: releaseId } });
    await greet();
  });
  return (
    <>
      <Button
        kind="plain"
        label={`${t.home.dismiss}: ${what}`}
        isBusy={action.isBusy}
        onClick={() => void action.run()}
      >
        {t.home.dismiss}
      </Button>
      <ProblemView error={action.error} />
    </>
  );
}
