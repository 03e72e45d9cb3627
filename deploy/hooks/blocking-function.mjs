// A blocking function for Node 18 or later, without dependencies: a verifier of events, a server, and an example.
// docs/use/blocking-functions.md explains the events and the responses.
//
//   LATCHKEY_URL=https://auth.example.com LATCHKEY_PROJECT=demo FUNCTION_URL=https://hooks.example.com/ PORT=8080 \
//     node blocking-function.mjs

import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";
import { pathToFileURL } from "node:url";

const KEYS_PATH = "/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
const LEEWAY_SECONDS = 30;
const REFETCH_MILLISECONDS = 60_000;
const MAXIMUM_BODY_BYTES = 512 * 1024;

/** Throw it in a function to refuse: the application gets the message. */
export class Refusal extends Error {
  constructor(message, status = "PERMISSION_DENIED", httpStatus = 403) {
    super(message);
    Object.assign(this, { status, httpStatus });
  }
}

const invalid = (reason) => new Refusal(`The token is invalid: ${reason}.`, "UNAUTHENTICATED", 401);

/** Returns `verifyEvent(token)`, which resolves to the claims of an event for the function at `functionURL`. */
export function createVerifier({ latchkeyURL, project, functionURL, now = () => Date.now() }) {
  let keys = new Map();
  let fetchedAt = -Infinity;

  async function key(id) {
    if (!keys.has(id) && now() - fetchedAt >= REFETCH_MILLISECONDS) {
      fetchedAt = now();
      const response = await fetch(latchkeyURL.replace(/\/$/, "") + KEYS_PATH, { signal: AbortSignal.timeout(3000) });
      if (!response.ok) throw new Error(`the keys have the status ${response.status}`);
      const { keys: published } = await response.json();
      keys = new Map(published.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: "jwk" })]));
    }
    if (!keys.has(id)) throw invalid("unknown key");
    return keys.get(id);
  }

  return async function verifyEvent(token) {
    const parts = typeof token === "string" ? token.split(".") : [];
    if (parts.length !== 3) throw invalid("malformed");
    let header, claims;
    try {
      [header, claims] = parts.slice(0, 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8")));
    } catch {
      throw invalid("malformed");
    }
    // The algorithm is fixed: a token cannot choose another one.
    if (header?.alg !== "RS256" || typeof header.kid !== "string") throw invalid("algorithm");
    const signature = Buffer.from(parts[2], "base64url");
    if (!verify("RSA-SHA256", Buffer.from(`${parts[0]}.${parts[1]}`), await key(header.kid), signature)) {
      throw invalid("signature");
    }
    const seconds = now() / 1000;
    if (claims?.iss !== `https://securetoken.google.com/${project}`) throw invalid("issuer");
    if (claims.aud !== functionURL) throw invalid("audience");
    if (!Number.isFinite(claims.exp) || seconds > claims.exp + LEEWAY_SECONDS) throw invalid("expired");
    if (!Number.isFinite(claims.iat) || claims.iat > seconds + LEEWAY_SECONDS) throw invalid("issued later");
    return claims;
  };
}

/** The body of a response. `changes` has fields of a user record; undefined changes nothing. */
export function response(changes) {
  const names = Object.keys(changes ?? {});
  return names.length === 0 ? {} : { userRecord: { ...changes, updateMask: names.join(",") } };
}

/** A server that calls `functions.beforeCreate(event)` and `functions.beforeSignIn(event)`. */
export function createFunctionServer(verifyEvent, functions) {
  return createServer(async (request, reply) => {
    const send = (status, body) =>
      reply.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    try {
      if (request.method !== "POST") throw new Refusal("Use POST.", "INVALID_ARGUMENT", 405);
      const chunks = [];
      let length = 0;
      for await (const chunk of request) {
        length += chunk.length;
        if (length > MAXIMUM_BODY_BYTES) throw new Refusal("The request is too long.", "INVALID_ARGUMENT", 413);
        chunks.push(chunk);
      }
      let body;
      try {
        body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      } catch {
        throw new Refusal("The request is not JSON.", "INVALID_ARGUMENT", 400);
      }
      const event = await verifyEvent(body?.data?.jwt);
      const known = event.event_type === "beforeCreate" || event.event_type === "beforeSignIn";
      send(200, response(known ? await functions[event.event_type]?.(event) : undefined));
    } catch (error) {
      // The text of another error is not for applications.
      if (!(error instanceof Refusal)) console.error(error);
      const refusal = error instanceof Refusal ? error : new Refusal("internal error", "INTERNAL", 500);
      send(refusal.httpStatus, { error: { message: refusal.message, status: refusal.status } });
    }
  });
}

// The example: only addresses of one domain sign up, and sessions contain the address of the client.
if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { LATCHKEY_URL, LATCHKEY_PROJECT, FUNCTION_URL, PORT = "8080" } = process.env;
  const verifyEvent = createVerifier({
    latchkeyURL: LATCHKEY_URL, project: LATCHKEY_PROJECT, functionURL: FUNCTION_URL,
  });
  const server = createFunctionServer(verifyEvent, {
    beforeCreate(event) {
      const isStaff = event.user_record.email?.endsWith("@example.com");
      if (!isStaff) throw new Refusal("Only addresses of example.com sign up.");
      return { customClaims: { staff: true } };
    },
    beforeSignIn: (event) => ({ sessionClaims: { ip_address: event.ip_address ?? "unknown" } }),
  });
  server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on port ${server.address().port}`));
}
