import type { Updates } from "../../contract/types.ts";
import { authority } from "../client/authority.ts";
import { call, lastWrite, pathOf } from "../client/call.ts";
import { lost } from "../client/connection.ts";
import { readyToExplain } from "../client/explanations.ts";
import { Cancelled, ProblemError, readProblem, Unreachable } from "../client/problem.ts";

/**
 * Sends a file with a repository; `onSent` hears how many bytes have left, which only this kind of request tells. Throws
 * ProblemError, Unreachable, Cancelled.
 */
export async function sendRepository(
  file: File,
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: (bytes: number) => void },
): Promise<Updates> {
  // A session that has to be renewed is renewed before the file is sent.
  await call("getMe");
  const response = await sent(file, signal, onSent);
  if (response.ok) {
    lastWrite.set({});
    return (await response.json()) as Updates;
  }
  const problem = await readProblem(response);
  await readyToExplain();
  throw new ProblemError(problem);
}

function sent(file: File, signal: AbortSignal, onSent: (bytes: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", pathOf("checkUploadedRepository"));
    request.setRequestHeader("authorization", `Bearer ${authority().token()}`);
    request.setRequestHeader("content-type", "application/octet-stream");
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const headers = { "content-type": request.getResponseHeader("content-type") ?? "" };
      resolve(new Response(request.responseText, { status: request.status, headers }));
    };
    request.onabort = () => reject(new Cancelled());
    request.onerror = () => {
      void lost();
      reject(new Unreachable("no answer"));
    };
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}
