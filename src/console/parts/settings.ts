import "../styles/parts/settings.css";
import { SettingsPage } from "../system/settings/settings-page.tsx";

/** The settings, by path. */
export const pages = { "/system/settings": SettingsPage };
