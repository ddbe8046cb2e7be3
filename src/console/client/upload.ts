import type { OperationId, operations } from "../../contract/operations.ts";
import type { Output } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { type CallOptions, call } from "./call.ts";
import { readyToExplain } from "./explanations.ts";
import { Fault } from "./problem.ts";

type UploadId = {
  [Id in OperationId]: (typeof operations)[Id] extends { upload: object } ? Id : never;
}[OperationId];

/** Seconds: the agent itself waits a minute for the next piece. */
const patienceSeconds = 90;

/** Sends a file to the agent; `onBytes` hears how many bytes have left. Throws as `call` does. */
export function upload<Id extends UploadId>(
  id: Id,
  file: Blob,
  onBytes: (bytes: number) => void,
  options: Pick<CallOptions, "signal" | "headers">,
): Promise<Output<Id>> {
  return call(
    id,
    {},
    { patience: patienceSeconds, ...options, by: (...given) => send(...given, file, onBytes) },
  );
}

/** `fetch` does not say how much has left. */
function send(
  path: string,
  { method = "PUT", headers, signal }: RequestInit,
  onPiece: () => void,
  file: Blob,
  onBytes: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded }) => {
      onPiece();
      onBytes(loaded);
    };
    request.onload = () => resolve(answerOf(request));
    // A file that was moved or changed meanwhile ends the request as well, and that is no silence of the device.
    request.onerror = () =>
      void file
        .slice(0, 1)
        .arrayBuffer()
        .then(() => new TypeError("no answer"), unreadable)
        .then(reject);
    request.onabort = () => reject(signal?.reason);
    signal?.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

async function unreadable(cause: unknown): Promise<Fault> {
  await readyToExplain();
  return new Fault(() => t.faults?.unreadable, cause);
}

function answerOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split("\r\n")) {
    const [name = "", ...value] = line.split(": ");
    headers.append(name, value.join(": "));
  }
  const { status, statusText, responseText } = request;
  return new Response(status === 204 ? null : responseText, { status, statusText, headers });
}
