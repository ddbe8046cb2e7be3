import { useState } from "preact/hooks";
import { providerReturnPath } from "../../contract/shapes.ts";
import type { Input } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useGreeting } from "../client/connection.ts";
import { useAction } from "../client/use-action.ts";
import { inTurn } from "../session/early-refresh.ts";
import { signedIn } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { Banner } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";

/** The provider's answer, with the proof that this page has asked for it. */
type Returned = Input<"stepUpAtProvider">["body"];

/** Reaches only pages of this origin, because it carries the provider's answer. */
const channel = new BroadcastChannel("steward-provider");

/** The flow of this page that is under way; a new one takes its place. */
let wanted: { readonly state: string; take(query: string): void } | null = null;

channel.addEventListener("message", ({ data: query }: MessageEvent<string>) => {
  if (wanted === null || new URLSearchParams(query).get("state") !== wanted.state) return;
  const { take } = wanted;
  wanted = null;
  take(query);
});

/** Milliseconds for a window to close itself; one that stays becomes a console. */
const closingMilliseconds = 1_000;

/** True: this is the window that the provider has sent back. It hands on what it brings, and closes. */
export function handBack(): boolean {
  if (location.pathname !== providerReturnPath) return false;
  channel.postMessage(location.search.slice(1));
  // Neither history nor bookmarks keep the code.
  history.replaceState(null, "", "/");
  close();
  setTimeout(() => location.replace("/"), closingMilliseconds);
  return true;
}

/** Signs in at the provider; `session.ts` goes on from there. */
export async function signInBy(returned: Returned): Promise<void> {
  await inTurn(async () =>
    signedIn(await call("signInAtProvider", { body: { ...returned, refresh: "cookie" } })),
  );
}

/** Opens the provider in a window of its own, so that this one keeps its entries. */
export function ProviderButton({
  isStepUp = false,
  isBesidePassword = false,
  onReturned,
}: {
  readonly isStepUp?: boolean;
  /** The page has a button of its own for those who sign in with a password. */
  readonly isBesidePassword?: boolean;
  readonly onReturned: (returned: Returned) => Promise<void>;
}) {
  const name = useGreeting()?.provider ?? "";
  const [isBlocked, setBlocked] = useState(false);
  const finishing = useAction(onReturned);
  const beginning = useAction(async () => {
    finishing.forget();
    // At once, in the click: browsers block a window that is opened later.
    const page = open("", "_blank");
    setBlocked(page === null);
    if (page === null) return;
    try {
      await visit(page, isStepUp, (returned) => void finishing.run(returned));
    } catch (error) {
      page.close();
      throw error;
    }
  });
  return (
    <>
      {isBlocked && <Banner state="attention">{t.signIn.windowBlocked}</Banner>}
      <ProblemView error={beginning.error ?? finishing.error} isForm />
      <div class="buttons">
        <Button
          kind={isBesidePassword ? "plain" : "primary"}
          isBusy={beginning.isBusy || finishing.isBusy}
          onClick={() => void beginning.run()}
        >
          {t.signIn.atProvider(name)}
        </Button>
      </div>
    </>
  );
}

async function visit(page: Window, step_up: boolean, take: (returned: Returned) => void): Promise<void> {
  const { origin } = location;
  const { authorization_url, flow_token } = await call("beginAtProvider", { body: { origin, step_up } });
  const state = new URL(authorization_url).searchParams.get("state") ?? "";
  wanted = { state, take: (query) => take({ flow_token, query }) };
  page.location.href = authorization_url;
}
