import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { isOneOf } from "../../session/session.ts";

export type HostPointer = "/host/name" | "/host/time_zone";

/** The fields on the page of the device. */
const fieldOf: Readonly<Record<HostPointer, string>> = {
  "/host/name": "host_name",
  "/host/time_zone": "time_zone",
};

/** A name of the machine, which is no setting: its value, with a link to where it is changed. */
export function HostField({ pointer }: { readonly pointer: HostPointer }) {
  const facts = useResource("getSystemFacts").value;
  return (
    <div class="field setting-text">
      <strong>{t.settings.ofHost[pointer]}</strong>
      <bdi>{pointer === "/host/name" ? facts?.hostname : facts?.time_zone}</bdi>
      {isOneOf("admin") ? (
        <div class="buttons">
          <Link to="/system/device" query={{ open: fieldOf[pointer] }} className="button">
            {t.settings.ofHost.change}
          </Link>
        </div>
      ) : (
        <span class="hint">{t.settings.adminOnly}</span>
      )}
    </div>
  );
}
