import { render } from "preact";
import { App } from "./app.tsx";
import { speak, wantedLanguage } from "./catalogue/words.ts";
import { loadExplanationBy } from "./client/explanations.ts";
import { loadPart } from "./client/parts.ts";
import { preload } from "./frame/pages.ts";
import { place as navigation, watchNavigation } from "./navigation/navigation.ts";
import { readBinding } from "./session/early-refresh.ts";
import { openSession } from "./session/session.ts";
import { handBack } from "./sign-in/provider.tsx";
import { watchSetupToken } from "./sign-in/setup-token.ts";
import { watchKeyboard, watchRemovedFocus } from "./ui/focus.ts";
import { showTheme } from "./ui/theme.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/frame.css";
import "./styles/pages.css";
import "./styles/home.css";

const place = document.getElementById("console");
if (place !== null && !handBack()) {
  watchSetupToken();
  showTheme();
  watchNavigation();
  watchKeyboard();
  watchRemovedFocus();
  // All that is known to be needed is asked for at once.
  const language = wantedLanguage(null);
  if (language !== null) void speak(language);
  const { path } = navigation.read();
  // The first run is no page of the frame.
  if (readBinding() !== null && path !== "/setup") preload(path);
  loadExplanationBy(() => loadPart("problems", () => import("./parts/problems.ts")).then(({ Body }) => Body));
  render(<App />, place);
  void openSession();
  // What a phone keeps of the page may come behind all that is shown.
  addEventListener("load", () => document.head.append(manifestLink()));
}

function manifestLink(): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = "/manifest.webmanifest";
  return link;
}
