/**
 * fastify with @fastify/jwt, its token cache on, doing what the agent does for GET /api/system: verify the token,
 * look its session and user up, answer the settings with the same headers. BODY is the answer, SECRET signs.
 */
import { createHash, randomBytes } from "node:crypto";
import fastifyJwt from "@fastify/jwt";
import fastify from "fastify";

const body = process.env.BODY ?? "{}";
const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
const app = fastify({ logger: false, requestIdHeader: "x-request-id" });
await app.register(fastifyJwt, {
  secret: randomBytes(32),
  sign: { algorithm: "HS256", iss: "steward", aud: "steward-api", expiresIn: "15m" },
  verify: { algorithms: ["HS256"], allowedIss: "steward", allowedAud: "steward-api", cache: true },
});
const users = new Map([["usr_1", { enabled: true, role: "admin" }]]);
const sessions = new Map([["ses_1", { userId: "usr_1", deadline: Number.POSITIVE_INFINITY }]]);

app.addHook("onRequest", async (request, reply) => {
  reply.headers({
    "X-Request-Id": request.id,
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
});
app.get("/token", async () => ({ access_token: app.jwt.sign({ sub: "usr_1", sid: "ses_1" }) }));
app.get("/api/version", async () => ({ name: "fastify" }));
app.get("/api/system", async (request, reply) => {
  await request.jwtVerify();
  const session = sessions.get(request.user.sid);
  const user = session && users.get(session.userId);
  if (!user?.enabled || performance.now() > session.deadline)
    return reply.code(401).send({ code: "invalid_token" });
  return reply.header("ETag", etag).type("application/json").send(body);
});
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });
