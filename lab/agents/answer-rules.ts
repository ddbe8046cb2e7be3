import assert from "node:assert/strict";
import { type ErrorCode, errorCodes } from "../../src/contract/error-codes.ts";
import { type EventType, eventTypes } from "../../src/contract/event-types.ts";
import { errorCodesOf } from "../../src/contract/openapi/answers.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { problem as problemSchema } from "../../src/contract/shapes.ts";
import type { AuditEvent } from "../../src/contract/types.ts";
import { titleOf } from "../../src/contract/words/en/problems.ts";
import { assertFits, timestampForm } from "./answer-validators.ts";
import type { Answer } from "./running-agent.ts";

const securityHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

/** Requests that reach no operation are answered with these codes. */
const pathlessCodes: readonly string[] = [
  ...["not_found", "method_not_allowed", "malformed_request", "malformed_path", "misdirected_request"],
  ...["not_acceptable", "request_timeout", "headers_too_large", "forbidden"],
];

/** Throws unless the answer keeps every promise that the contract makes of all answers, and its operation's own. */
export function checkAnswer(method: string, path: string, answer: Answer): void {
  const where = `${method} ${path.slice(0, 100)} → ${answer.status}`;
  // The console's page brings a part of its binding, so it is kept as little as an answer of the API.
  const isPage = /^text\/html/.test(String(answer.headers["content-type"])) && !path.startsWith("/docs");
  const isOfMethods = method === "OPTIONS" && answer.status === 204;
  const isOfConsole = !path.startsWith("/api/") && !isOfMethods;
  const isFile = answer.status < 400 && !isPage && (isOfConsole || isBuilt(method, path));
  checkHeaders(where, answer, isFile);
  if (isOfMethods) assert.match(String(answer.headers.allow), /, OPTIONS$/, where);
  if (isOfMethods || isMisdirectedPage(path, answer)) return;
  const { headers: statuses } = operationFor(method, path)?.response ?? {};
  if (answer.text === "" && statuses?.some((status) => status === answer.status)) return;
  if (answer.status >= 400) checkProblem(where, method, path, answer);
  else if (path.startsWith("/api/")) checkSuccess(where, method, path, answer);
}

/** For a person whose browser came by a name that is not the device's: no path of the API has it. */
function isMisdirectedPage(path: string, { status, headers }: Answer): boolean {
  return (
    status === 421 && !path.startsWith("/api/") && headers["content-type"] === "text/html; charset=utf-8"
  );
}

/** The operation that this request is about, by the contract's own paths. */
export function operationFor(method: string, path: string): Operation | undefined {
  const [name = ""] = path.split(/[?#]/, 1);
  return operationIds.map(operationOf).find((operation) => {
    const pattern = operation.path.replace(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.");
    const isMethod = operation.method === method || (method === "HEAD" && operation.method === "GET");
    return isMethod && new RegExp(`^${pattern}$`).test(name);
  });
}

/** An answer that the build has written, and that clients may keep. */
const isBuilt = (method: string, path: string): boolean => operationFor(method, path)?.response.file === true;

/** Throws unless an event's details are those that the contract declares for its type. */
export function checkEvent({ type, code, details }: AuditEvent): void {
  const declared: Readonly<Record<string, object>> | undefined = eventTypes[type as EventType]?.details;
  assert.ok(declared, `an event of the unknown type ${type}`);
  const isSometimes = (schema: object) => "x-optional" in schema;
  const required = Object.keys(declared).filter((name) => !isSometimes(declared[name] ?? {}));
  const schema = { type: "object", additionalProperties: false, required, properties: declared };
  assertFits(schemaOf(type, schema), details, `the details of ${type} (${code ?? "success"})`);
}

const detailSchemas = new Map<string, object>();

/** The same object each time, so that it is compiled once. */
function schemaOf(type: string, schema: object): object {
  const known = detailSchemas.get(type) ?? schema;
  detailSchemas.set(type, known);
  return known;
}

function checkHeaders(where: string, { headers }: Answer, isFile: boolean): void {
  assert.match(String(headers["x-request-id"] ?? ""), /^[A-Za-z0-9._-]{1,64}$/, `${where}: X-Request-Id`);
  assert.equal(headers["cache-control"], isFile ? "no-cache" : "no-store", `${where}: Cache-Control`);
  const policy = String(headers["content-security-policy"] ?? "");
  assert.match(policy, /default-src 'none'/, `${where}: Content-Security-Policy`);
  assert.match(policy, /frame-ancestors 'none'/, `${where}: Content-Security-Policy`);
  assert.match(policy, /base-uri 'none'/, `${where}: Content-Security-Policy`);
  assert.doesNotMatch(policy, /unsafe-/, `${where}: Content-Security-Policy`);
  for (const [name, value] of Object.entries(securityHeaders)) {
    assert.equal(headers[name], value, `${where}: ${name}`);
  }
  assert.ok(Number.isFinite(Date.parse(String(headers.date ?? ""))), `${where}: Date`);
  assert.match(String(headers.link), /rel="service-desc"/, `${where}: Link`);
  assert.equal(headers["access-control-allow-origin"], undefined, `${where}: no CORS`);
}

function checkProblem(where: string, method: string, path: string, answer: Answer): void {
  const { status, headers, json, text } = answer;
  assert.equal(headers["content-type"], "application/problem+json", `${where}: ${text.slice(0, 200)}`);
  if (status === 405) assert.match(String(headers.allow ?? ""), /^[A-Z]+(, [A-Z]+)*$/, `${where}: Allow`);
  if (method === "HEAD") {
    assert.equal(text, "", `${where}: HEAD has no body`);
    return;
  }
  assertFits(problemSchema, json, where);
  const { code } = json as { code: string };
  assert.ok(code in errorCodes, `${where}: unknown code ${code}`);
  const declared = errorCodes[code as ErrorCode];
  assert.equal(json.type, `urn:steward:problem:${code}`, where);
  const told = [json.status, json.title, status];
  assert.deepEqual(told, [declared.status, titleOf(code as ErrorCode), declared.status], where);
  assert.equal(json.request_id, headers["x-request-id"], where);
  checkChallenge(where, code, answer);
  const retryAfter = headers["retry-after"];
  if (status === 503 || status === 429)
    assert.match(String(retryAfter ?? ""), /^\d+$/, `${where}: Retry-After`);
  assert.equal(json.retry_after, retryAfter === undefined ? undefined : Number(retryAfter), where);
  const operation = operationFor(method, path);
  const known: readonly string[] = operation ? errorCodesOf(operation) : pathlessCodes;
  assert.ok(known.includes(code), `${where}: the contract does not announce ${code}`);
}

/** RFC 6750 §3.1: `error` if and only if a token was sent and is at fault; RFC 9470 §3: or is not recent enough. */
function checkChallenge(where: string, code: string, { status, headers, json }: Answer): void {
  const challenge = headers["www-authenticate"];
  if (code === "step_up_required") {
    assert.match(String(challenge), /^Bearer error="insufficient_user_authentication"/, where);
  } else {
    const named = code === "invalid_token" ? 'Bearer error="invalid_token"' : "Bearer";
    assert.equal(challenge, status === 401 ? named : undefined, where);
  }
  if (["invalid_token", "totp_invalid", "totp_reused"].includes(code)) {
    assert.match(String(json.clock?.server_time), timestampForm, `${where}: clock`);
  }
  if (["invalid_token", "totp_invalid"].includes(code)) assert.equal(json.title, "Invalid token", where);
  if (code !== "invalid_token") return;
  const reasons = "expired clock_epoch revoked suspended source binding malformed signature".split(" ");
  assert.ok(reasons.includes(json.reason), `${where}: reason ${json.reason}`);
  const isUnproven = ["malformed", "signature", "source"].includes(json.reason);
  assert.ok(!isUnproven || !("state" in json.clock), `${where}: strangers learn no more than the time`);
}

function checkSuccess(where: string, method: string, path: string, answer: Answer): void {
  const { status, headers, text, json } = answer;
  const operation = operationFor(method, path);
  assert.ok(operation, `${where}: an answer from no operation`);
  const { response } = operation;
  if (response.etag)
    assert.match(String(headers.etag ?? ""), /^"[\x21\x23-\x7e]+"$/, `${where}: strong ETag`);
  if (response.weakEtag)
    assert.match(String(headers.etag ?? ""), /^W\/"[\x21\x23-\x7e]+"$/, `${where}: weak ETag`);
  if (status === 304) {
    assert.ok((response.etag || response.weakEtag) && text === "", where);
    return;
  }
  assert.equal(status, response.status, where);
  if (status === 201)
    assert.match(String(headers.location ?? ""), /^\/api\/(users\/usr|tokens\/tok)_/, `${where}: Location`);
  const hasBody = response.schema !== undefined && method !== "HEAD";
  if (!hasBody) assert.equal(text, "", `${where}: no body`);
  if (response.schema === undefined) return;
  const { mediaType = "application/json" } = response;
  assert.equal(headers["content-type"], mediaType, where);
  if (hasBody) assertFits(response.schema, mediaType === "application/json" ? json : text, where);
  if (hasBody && operation === operationOf("listEvents")) for (const event of json.items) checkEvent(event);
}
