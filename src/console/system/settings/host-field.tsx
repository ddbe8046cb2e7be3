import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { isOneOf } from "../../session/session.ts";

export type HostPointer = "/host/name" | "/host/time_zone";

/** A name of the machine, which is no setting: its value, with a link to where it is changed. */
export function HostField({ pointer }: { readonly pointer: HostPointer }) {
  const facts = useResource("getSystemFacts").value;
  // The field on the page of the device, and what is in it.
  const [open, value] =
    pointer === "/host/name" ? ["host_name", facts?.hostname] : ["time_zone", facts?.time_zone];
  return (
    <div class="field setting-text">
      <strong>{t.settings.ofHost[pointer]}</strong>
      <bdi>{value}</bdi>
      {isOneOf("admin") ? (
        <div class="buttons">
          <Link to="/system/device" query={{ open }} className="button">
            {t.settings.ofHost.change}
          </Link>
        </div>
      ) : (
        <span class="hint">{t.settings.adminOnly}</span>
      )}
    </div>
  );
}
