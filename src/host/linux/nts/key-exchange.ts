import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { messageOf, systemErrorCode } from "../../../contract/errors.ts";
import type {
  AskKeyExchange,
  KeyExchangeAnswer,
  KeyExchangeFailureCode,
  KeyExchangeQuestion,
} from "../../nts-ports.ts";
import { type ChainVerifier, createVerifyChain, type VerifyChain } from "../certificates/verify-chain.ts";

/** Milliseconds of a whole key exchange, in which openssl runs once. */
const longestMilliseconds = 5_000;

/** Bytes of an answer: eight cookies of 100 to 200 bytes are usual (RFC 8915 §4). */
const mostAnswerBytes = 16_384;

/** Certificates that are taken from a server: one more than are allowed, so that a longer chain is refused. */
const mostCertificates = 9;

export interface KeyExchangePlan extends ChainVerifier {
  /** 5 s by default. */
  readonly timeoutMilliseconds?: number;
  /** Ends those that are under way. */
  readonly signal?: AbortSignal;
}

/** Key exchanges over node:tls, which has no authorities here: `openssl verify` judges the certificates. */
export function createKeyExchange(plan: KeyExchangePlan): AskKeyExchange {
  const verify = createVerifyChain(plan);
  const { timeoutMilliseconds = longestMilliseconds, signal } = plan;
  return async (asked) => {
    // No certificate has the dot that ends an absolute name, and RFC 6066 §3 keeps it out of the name that is sent.
    const question = { ...asked, host: asked.host.replace(/\.$/, "") };
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    const timer = setTimeout(abort, timeoutMilliseconds).unref();
    signal?.addEventListener("abort", abort);
    const answer = await ask(question, verify, limit.signal);
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    return answer;
  };
}

async function ask(
  question: KeyExchangeQuestion,
  verify: VerifyChain,
  signal: AbortSignal,
): Promise<KeyExchangeAnswer> {
  let socket: TLSSocket | undefined;
  signal.addEventListener("abort", () => socket?.destroy());
  try {
    socket = open(question);
    await established(socket);
    if (socket.alpnProtocol !== "ntske/1") return failed("nts_not_offered", null);
    // Before the answer, because Node exports no key of a connection that the server has closed.
    const exported = exportedFrom(socket, question.exports);
    const { host, atSeconds } = question;
    const certificates = certificatesOf(socket);
    // At once, as it says nothing that is secret: chronyd waits for it for two seconds, in which a slow device has not
    // verified several servers.
    socket.write(question.request);
    const answer = answerOn(socket, question.isWhole);
    // It is looked at after the verdict, which tells more than a connection that has ended.
    answer.catch(() => undefined);
    const reason = await verify({ certificates, host, atSeconds, signal });
    if (reason !== null) return { kind: "failed", reason };
    return { kind: "answer", bytes: await answer, exported };
  } catch (error) {
    if (signal.aborted) return failed("nts_no_answer", null);
    const cause = systemErrorCode(error) ?? messageOf(error);
    return failed(socket === undefined ? "nts_unreachable" : codeOf(error, cause), cause);
  } finally {
    socket?.destroy();
  }
}

function open({ address, host }: KeyExchangeQuestion): TLSSocket {
  return connect({
    ...{ host: address.address, port: address.port },
    // RFC 6066 §3: a literal address is not sent as a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    // There is no later version.
    ...{ minVersion: "TLSv1.3", ALPNProtocols: ["ntske/1"] },
    // The empty list keeps Node from loading its own authorities, which takes memory and would decide nothing.
    ...{ rejectUnauthorized: false, ca: [] },
  });
}

/** Waits for the end of the handshake. The listener for the one error of a socket stays, since it may come later. */
function established(socket: TLSSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(ended()));
  });
}

function certificatesOf(socket: TLSSocket): string[] {
  const found: string[] = [];
  let next: X509Certificate | undefined = socket.getPeerX509Certificate();
  while (next !== undefined && found.length < mostCertificates) {
    found.push(next.toString());
    // Node chains the certificates in the order in which they came, and not by who has signed them.
    next = next.issuerCertificate;
  }
  return found;
}

function exportedFrom(socket: TLSSocket, keys: KeyExchangeQuestion["exports"]): Uint8Array[] {
  return keys.map(({ bytes, label, context }) =>
    socket.exportKeyingMaterial(bytes, label, Buffer.from(context)),
  );
}

/** The answer when it is whole. Rejects if it is too long, or if the connection ends before. */
async function answerOn(socket: TLSSocket, isWhole: KeyExchangeQuestion["isWhole"]): Promise<Uint8Array> {
  const answer = new Uint8Array(mostAnswerBytes);
  let length = 0;
  for await (const piece of socket as AsyncIterable<Buffer>) {
    if (length + piece.length > mostAnswerBytes)
      throw new Error(`the answer has more than ${mostAnswerBytes} bytes`);
    answer.set(piece, length);
    length += piece.length;
    const bytes = answer.subarray(0, length);
    if (isWhole(bytes)) return bytes;
  }
  throw ended();
}

/** The code of a failure at a socket. A server of TLS 1.2 tells so by an alert, and one of another kind by anything. */
function codeOf(error: unknown, cause: string): KeyExchangeFailureCode {
  // ECONNREFUSED, EHOSTUNREACH and their kind.
  if ((error as NodeJS.ErrnoException).syscall === "connect") return "nts_unreachable";
  if (cause === "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION") return "nts_tls_version";
  return ["ECONNRESET", "EPIPE", closed].includes(cause) ? "nts_closed" : "nts_not_offered";
}

const closed = "the server closed the connection";

function ended(): Error {
  return new Error(closed);
}

function failed(code: KeyExchangeFailureCode, cause: string | null): KeyExchangeAnswer {
  return { kind: "failed", reason: { code, cause } };
}
