import { render } from "preact";
import { App } from "./app.tsx";
import { speak, wantedLanguage } from "./catalogue/words.ts";
import { recallMark } from "./client/face.ts";
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
      people: () => import("./users/users-page.tsx"),
      adding: () => import("./users/adding/add-people.tsx"),
      several: () => import("./users/adding/add-several.tsx"),
      account: () => import("./account/account-page.tsx"),
      passkey: () => import("./account/passkey.tsx"),
      device: () => import("./system/facts/overview-page.tsx"),
      logs: () => import("./system/logs/logs-page.tsx"),
      events: () => import("./system/events/events-page.tsx"),
      history: () => import("./system/history/history-page.tsx"),
      product: () => import("./product/product-pages.tsx"),
      updates: () => import("./updates/updates-page.tsx"),
      upload: () => import("./updates/from-file.tsx"),
      settings: () => import("./system/settings/settings-page.tsx"),
      notifications: () => import("./system/notifications/notifications.tsx"),
      ota: () => import("./updates/ota-settings.tsx"),
      event: () => import("./system/events/event-detail.tsx"),
      clock: () => import("./system/clock/clock-inside.tsx"),
      machine: () => import("./system/device/device-page.tsx"),
      sheet: () => import("./print/device-sheet.tsx"),
      palette: () => import("./palette/palette.tsx"),
      problems: () => import("./problems/explanation.tsx"),
      setup: () => import("./setup/setup-page.tsx"),
      restore: () => import("./setup/restore/restore-page.tsx"),
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
