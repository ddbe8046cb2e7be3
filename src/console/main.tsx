import { render } from "preact";
import { App } from "./app.tsx";
import { speak, wantedLanguage } from "./catalogue/words.ts";
import { recallMark } from "./client/maker-mark.ts";
import { loadPartsBy } from "./client/parts.ts";
import { preload } from "./frame/pages.ts";
import { place as navigation, watchNavigation } from "./navigation/navigation.ts";
import { readBinding } from "./session/early-refresh.ts";
import { reload } from "./session/reload.ts";
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
import "./styles/shared.css";

const place = document.getElementById("console");
if (place !== null && !handBack()) {
  loadPartsBy(
    {
      people: () => import("./parts/people.ts"),
      adding: () => import("./parts/people/adding.ts"),
      several: () => import("./parts/people/several.ts"),
      account: () => import("./parts/account.ts"),
      passkey: () => import("./parts/people/passkey.ts"),
      device: () => import("./parts/device.ts"),
      logs: () => import("./parts/logs.ts"),
      events: () => import("./parts/events.ts"),
      history: () => import("./parts/history.ts"),
      updates: () => import("./parts/updates.ts"),
      upload: () => import("./parts/upload.ts"),
      settings: () => import("./parts/settings.ts"),
      notifications: () => import("./parts/notifications.ts"),
      ota: () => import("./parts/ota.ts"),
      event: () => import("./parts/event.ts"),
      clock: () => import("./parts/clock.ts"),
      machine: () => import("./parts/machine.ts"),
      sheet: () => import("./parts/sheet.ts"),
      palette: () => import("./parts/palette.ts"),
      problems: () => import("./parts/problems.ts"),
      setup: () => import("./parts/setup.ts"),
      restore: () => import("./parts/restore.ts"),
    },
    reload,
  );
  watchSetupToken();
  showTheme();
  recallMark();
  watchNavigation();
  watchKeyboard();
  watchRemovedFocus();
  // Everything that is sure to be needed is asked for at once.
  const language = wantedLanguage(null);
  if (language !== null) void speak(language);
  const { path } = navigation.read();
  // The first run is no page of the frame.
  if (readBinding() !== null && path !== "/setup") preload(path);
  render(<App />, place);
  void openSession();
  // A phone asks for the manifest when it keeps the page: everything that is shown comes first.
  addEventListener("load", () => document.head.append(manifestLink()));
}

function manifestLink(): HTMLLinkElement {
  const link = document.createElement("link");
  link.rel = "manifest";
  link.href = "/manifest.webmanifest";
  return link;
}
