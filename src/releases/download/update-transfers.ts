import { StewardError } from "../../contract/errors.ts";
import { decodedBody } from "../../host/answer-body.ts";
import type { Transfer, Transfers } from "../../host/ports.ts";
import { TransferFailure } from "../../host/transfer-failure.ts";
import { withoutPage } from "../../host/web-page.ts";

const codes = {
  unreachable: "update_server_unreachable",
  refused: "update_server_refused",
  too_slow: "update_too_slow",
  too_large: "update_too_large",
} as const;

/** The same transfers, whose failures have the codes of updates. */
export function updateTransfers(transfers: Transfers): Transfers {
  return {
    open: async (url, request) => {
      const transfer = await transfers.open(url, request).catch((error: unknown) => {
        throw updateError(error);
      });
      return { ...transfer, body: withUpdateErrors(transfer.body) };
    },
  };
}

/** The content of a file, unpacked. Throws `update_too_large`, `update_server_refused`, `update_web_page`. */
export function contentOf(
  name: string,
  transfer: Transfer,
  maximumBytes: number,
): AsyncGenerator<Uint8Array> {
  const content = decodedBody(name, transfer, maximumBytes);
  return withUpdateErrors(withoutPage({ name, where: transfer.where }, content));
}

async function* withUpdateErrors(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    throw updateError(error);
  }
}

function updateError(error: unknown): unknown {
  if (!(error instanceof TransferFailure)) return error;
  const { kind, reason, message, cause = error } = error;
  return new StewardError(codes[kind], message, { cause, details: reason === null ? {} : { reason } });
}
