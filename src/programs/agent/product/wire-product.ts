import { StewardError } from "../../../contract/errors.ts";
import type { Product, Role } from "../../../contract/types.ts";
import type { Host } from "../../../host/host.ts";
import { readSecretFile } from "../../../host/linux/host-file/secret-file.ts";
import { createProductHandlers } from "../../../http/handlers/product.ts";
import { createVisits, type ProductPage } from "../../../product/visits.ts";
import { readRegular } from "../../../store/files/regular-file.ts";
import type { SettingsStore } from "../../../system/settings/settings.ts";
import type { Updates } from "../../../updates/updater.ts";
import type { RoomsConfig } from "../config.ts";
import type { SignInRooms } from "../wire-accounts.ts";

interface ProductParts {
  readonly config: RoomsConfig;
  readonly host: Host;
  readonly auth: SignInRooms;
  readonly settings: SettingsStore;
  readonly updates: Updates;
}

export type ProductRoom = Awaited<ReturnType<typeof openProduct>>;

/** The product that the host file names, and its pages, whose visitors sign in here. */
export async function openProduct({ config, host, auth, settings, updates }: ProductParts) {
  const { pages, name, versionFile, ...owners } = config.product;
  const gates = new Map<string, Promise<string>>();
  const visits = createVisits({
    ...auth,
    pages,
    security: () => settings.read().security,
    uptime: host.time.uptime,
  });
  const gateOf = ({ secretFile }: ProductPage): Promise<string | null> => {
    if (secretFile === null) return Promise.resolve(null);
    const known = gates.get(secretFile);
    if (known !== undefined) return known;
    const read = readSecretFile(secretFile, { ...owners, refuse });
    gates.set(secretFile, read);
    // A file that is put right is read again.
    read.catch(() => gates.delete(secretFile));
    return read;
  };
  const ownVersion = await versionIn(versionFile);
  const isNamed = name !== "steward" || pages.length > 0;
  return {
    handlers: createProductHandlers({ visits, gateOf, deviceId: host.identity.deviceId }),
    /** The product with the pages that this role may open; null: the host file names none. */
    seenBy: (role: Role): Product | null => {
      if (!isNamed) return null;
      const shown = visits
        .pagesFor(role)
        .map(({ name, title, origin, role }) => ({ name, title, url: `${origin}/`, role }));
      // Without a name of its own for the product, the releases are Steward's.
      const installed = name === "steward" ? null : updates.status().installed.binary;
      return { name, version: installed ?? ownVersion, pages: shown };
    },
  };
}

/** The first line of the product's own file; null: there is none, or it says nothing. */
async function versionIn(path: string | null): Promise<string | null> {
  const text = path === null ? null : await readRegular(path, mostVersionBytes).catch(() => null);
  const [line = ""] = text?.toString("utf8").split("\n", 1) ?? [];
  return line.trim().replace(/[^\x20-\x7e]/g, "") || null;
}

const mostVersionBytes = 4_096;

function refuse(path: string, what: string): StewardError {
  const text = `The page's secret cannot be used: ${path} ${what}. Without it the page cannot know Steward from others, so no one is let in. Correct it: root:steward 0640.`;
  return new StewardError("internal_error", text);
}
