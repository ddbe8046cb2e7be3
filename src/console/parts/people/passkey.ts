import { PasskeyButton } from "../../account/passkey.tsx";

/** The button of the page for signing in, loaded where the user has a passkey. */
export const Body = PasskeyButton;
