import { SettingsPage } from "../../system/settings/settings-page.tsx";
import { UpdatesPage } from "../../updates/updates-page.tsx";

/** Pages with settings, by path; those of the updates stand on theirs. */
export const pages = { "/system/settings": SettingsPage, "/updates": UpdatesPage };
