import { useState } from "preact/hooks";
import { chooseLanguage } from "../catalogue/wanted-language.ts";
import { language, languageName, languages, t } from "../catalogue/words.ts";
import { navigate } from "../navigation/navigation.ts";
import { me, signOut } from "../session/session.ts";
import { Menu } from "../ui/menu.tsx";
import { chooseTheme, chosenTheme, themes } from "../ui/theme.ts";

/** The name of the user, and the button for signing out. */
export function AccountMenu() {
  const { username } = me();
  const [theme, setTheme] = useState(chosenTheme);
  const others = languages().filter((one) => one !== language);
  return (
    <Menu
      label={`${t.frame.account}: ${username}`}
      text={username}
      shape="person"
      items={[
        { text: t.frame.account, onChoose: () => void navigate("/account") },
        ...others.map((one) => ({ text: languageName(one), onChoose: () => chooseLanguage(one) })),
        ...themes.map((one) => ({
          text: t.frame.themes[one],
          isChosen: one === theme,
          onChoose: () => {
            chooseTheme(one);
            setTheme(one);
          },
        })),
        { text: t.frame.signOut, onChoose: () => void signOut() },
      ]}
    />
  );
}
