import type { Settings } from "../contract/types.ts";
import type { Document } from "../store/documents/document.ts";
import type { DocumentKind } from "../store/documents/document-kind.ts";
import { objectOf } from "../store/validation/object-schema.ts";

/** A receiver of the settings, and where its messages go. */
type Addressed = Omit<Settings["notify"]["receivers"][number], "takes" | "kind"> & { readonly kind: string };

/** Secrets of receivers, each sealed for one receiver and one destination. */
export interface ReceiverSecretsState {
  readonly secrets: readonly { readonly name: string; readonly sealed: string }[];
}

/** If it is lost, the secrets are set again: an administrator has them, or has new ones made. */
export const receiverSecretsKind: DocumentKind<ReceiverSecretsState> = {
  name: "receiver-secrets",
  formatVersion: "1.0.0",
  schema: objectOf({
    secrets: { type: "array", items: objectOf({ name: { type: "string" }, sealed: { type: "string" } }) },
  }),
  defaults: { secrets: [] },
  onLoss: "defaults",
};

/** Encrypts texts for one record each, as the seal of second factors does. */
export interface SecretSeal {
  /** Throws where the device has no key. */
  seal(text: string, recordId: string): string;
  /** Throws if the key is missing, or the text is another record's or was altered. */
  open(sealed: string, recordId: string): string;
}

export type ReceiverSecrets = ReturnType<typeof createReceiverSecrets>;

export function createReceiverSecrets(document: Document<ReceiverSecretsState>, seal: SecretSeal) {
  return {
    /** One was set, even if for another destination or on another machine. */
    isSet: ({ name }: Addressed): boolean => document.read().secrets.some((one) => one.name === name),
    /** The secret of this receiver; null: none was set for it and its destination, or it cannot be opened here. */
    of: (receiver: Addressed): string | null => {
      const found = document.read().secrets.find(({ name }) => name === receiver.name);
      try {
        return found === undefined ? null : seal.open(found.sealed, recordOf(receiver));
      } catch {
        return null;
      }
    },
    /** Throws where the device has no key, `storage_full` and `storage_unwritable`. */
    set: async (receiver: Addressed, secret: string): Promise<void> => {
      const { name } = receiver;
      const sealed = seal.seal(secret, recordOf(receiver));
      await document.update(({ secrets }) => ({
        secrets: [...secrets.filter((one) => one.name !== name), { name, sealed }],
      }));
    },
    keepOnly: async (receivers: readonly Addressed[]): Promise<void> => {
      const isNamed = ({ name }: Pick<Addressed, "name">) => receivers.some((one) => one.name === name);
      // An update that changes nothing would still wait for its turn.
      if (document.read().secrets.every(isNamed)) return;
      await document.update(({ secrets }) => ({ secrets: secrets.filter(isNamed) }));
    },
  };
}

/** Sealed for its server and user name: settings must not have it sent elsewhere (docs/design/outbox.md, rule 13). */
function recordOf({ name, kind, url, server, port, username }: Addressed): string {
  const destination =
    url === undefined ? [kind, server, port, username] : [URL.canParse(url) ? new URL(url).origin : url];
  return JSON.stringify(["receiver", name, ...destination]);
}
