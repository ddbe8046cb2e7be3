import type { Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { isOneOf } from "../session/session.ts";
import { schemaAt, valueAt } from "../system/settings/draft.ts";
import { SettingField } from "../system/settings/setting-field.tsx";
import { hintOf, labelOf } from "../system/settings/setting-words.ts";
import { SettingsForm } from "../system/settings/settings-form.tsx";
import { useEditing } from "../system/settings/use-editing.ts";
import { CheckField } from "../ui/form/field.tsx";
import { Facts } from "../ui/page.tsx";
import "../styles/parts/settings.css";

const ofBinaries = "/update/ota/auto_update_binary";

/** In the order in which they are set up; `verify_signature` is none of them, for it is no choice. */
const pointers = [
  "/update/ota/enabled",
  "/update/ota/server",
  "/update/ota/channel",
  "/update/ota/check_interval",
  "/update/ota/auto_update_rules",
  ofBinaries,
  "/update/windows",
  "/update/ota/report",
];

/** Every setting of the updates with its rule beside it. */
export function Body({ status }: { readonly status: Updates }) {
  const editing = useEditing();
  const { base, typed } = editing.draft;
  // A setting that is already on can still be saved; it cannot be turned on here.
  const isTooEarly =
    !status.trust.established && valueAt(base, ofBinaries) === false && !(ofBinaries in typed);
  return (
    <div class="settings">
      <SettingsForm editing={editing}>
        {pointers.map((pointer) =>
          pointer === ofBinaries && isTooEarly && isOneOf("admin") ? (
            <CheckField
              key={pointer}
              label={labelOf(pointer)}
              hint={`${hintOf(pointer, schemaAt(editing.schema ?? {}, pointer))} ${t.updates.tooEarly}`}
              value={false}
              isDisabled
              onInput={() => undefined}
            />
          ) : (
            <SettingField key={pointer} editing={editing} pointer={pointer} />
          ),
        )}
        <Facts
          items={[
            [
              labelOf("/update/ota/verify_signature"),
              <>
                {t.updates.always}
                <p class="hint">{t.updates.whySigned}</p>
              </>,
            ],
          ]}
        />
      </SettingsForm>
    </div>
  );
}
