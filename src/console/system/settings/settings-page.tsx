import { t } from "../../catalogue/words.ts";
import { isOneOf } from "../../session/session.ts";
import { Section } from "../../ui/page.tsx";
import { pointersOf } from "./draft.ts";
import { SettingField } from "./setting-field.tsx";
import { SettingsForm } from "./settings-form.tsx";
import { mayChange, useEditing } from "./use-editing.ts";

/** The settings but those of the updates, which have a page of their own, in the groups that people look for. */
const groups = {
  device: "/device/",
  time: "/time/",
  windows: "/update/windows",
  security: "/security/",
  console: "/console/",
} as const;

export function SettingsPage() {
  const editing = useEditing();
  const { schema } = editing;
  return (
    <div class="settings">
      {isOneOf("readonly") && <p>{t.settings.readonly}</p>}
      <SettingsForm editing={editing}>
        {schema !== null &&
          Object.entries(groups).map(([name, begin]) => {
            const pointers = pointersOf(schema).filter((pointer) => pointer.startsWith(begin));
            const isOthers = !pointers.some((pointer) => mayChange(schema, pointer));
            return (
              <Section key={name} title={t.settings.groups[name as keyof typeof groups]}>
                {isOthers && isOneOf("operator") && <p class="hint">{t.settings.adminOnly}</p>}
                {pointers.map((pointer) => (
                  <SettingField key={pointer} editing={editing} pointer={pointer} isReasonSaid={isOthers} />
                ))}
              </Section>
            );
          })}
      </SettingsForm>
    </div>
  );
}
