import { decoded } from "../navigation/paths.ts";
import { createStore } from "../store.ts";

/** The setup token of the link that `make run` prints; "": there was none. */
export const setupToken = createStore("");

/** Takes the token out of the address, where history and bookmarks would keep it; a fragment is never sent. */
export function watchSetupToken(): void {
  const take = (): void => {
    const token = /^#setup=(.+)$/.exec(location.hash)?.[1];
    if (token === undefined) return;
    history.replaceState(history.state, "", location.pathname + location.search);
    setupToken.set(decoded(token));
  };
  take();
  addEventListener("hashchange", take);
}
