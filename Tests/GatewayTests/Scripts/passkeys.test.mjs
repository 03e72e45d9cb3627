// The passkey scripts with a scripted server and authenticator: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { creationOptions, requestOptions, toJSON } from "../../../Services/gateway/Scripts/passkey-encoding.js";
import { PasskeySession } from "../../../Services/gateway/Scripts/passkey-session.js";

const bytes = (...values) => Uint8Array.from(values).buffer;

let signals;
let requests;
let replies;

beforeEach(() => {
  [signals, requests, replies] = [[], [], []];
  globalThis.PublicKeyCredential = {
    signalAllAcceptedCredentials: async (details) => signals.push(["accepted", details]),
    signalUnknownCredential: async (details) => signals.push(["unknown", details]),
  };
  globalThis.fetch = async (url, { body }) => {
    requests.push([url.split("?")[0].split("/").pop(), JSON.parse(body)]);
    const reply = replies.shift();
    return { ok: !reply.error, json: async () => reply };
  };
  const response = { clientDataJSON: bytes(1), authenticatorData: bytes(2), signature: bytes(251, 255) };
  const credential = { id: "AQ", type: "public-key", response };
  Object.defineProperty(globalThis, "navigator", {
    configurable: true, value: { credentials: { get: async () => credential, create: async () => credential } },
  });
});
afterEach(() => assert.deepEqual(replies, []));

const start = { credentialRequestOptions: { challenge: "AQ==", rpId: "example.org" } };
const tooOld = { error: { message: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN" } };
const session = () => new PasskeySession({ apiKey: "k", tenantId: "" });

test("options become bytes where the browser does not read JSON", () => {
  const options = creationOptions({ challenge: "-_8=", user: { id: "AQ==" }, excludeCredentials: [{ id: "Ag==" }] });
  assert.deepEqual([...options.challenge], [251, 255]);
  assert.deepEqual([...options.user.id], [1]);
  assert.deepEqual([...options.excludeCredentials[0].id], [2]);
});

test("options remain text without padding where the browser reads JSON", () => {
  PublicKeyCredential.parseRequestOptionsFromJSON = (options) => options;
  assert.equal(requestOptions({ challenge: "+/8=", allowCredentials: [] }).challenge, "-_8");
});

test("a credential is sent as base64url", () => {
  const response = { clientDataJSON: bytes(251, 255), attestationObject: bytes(1) };
  const json = toJSON({ id: "AQ", type: "public-key", response });
  assert.deepEqual(json.response, { clientDataJSON: "-_8", attestationObject: "AQ", transports: [] });
});

test("an action that needs a recent sign-in signs in and runs again", async () => {
  replies = [tooOld, start, { idToken: "new" }, { signals: { rpId: "example.org", userHandle: "u" } }];
  const current = session();
  current.idToken = "old";
  await current.remove({ credentialId: "AQ==", rpId: "example.org" });
  assert.deepEqual(requests.map(([operation]) => operation), [
    "accounts:update", "passkeySignIn:start", "passkeySignIn:finalize", "accounts:update",
  ]);
  assert.equal(requests[3][1].idToken, "new");
  assert.deepEqual(signals.map(([name]) => name), ["accepted"]);
});

test("an account without its passkey is deleted again", async () => {
  replies = [{ idToken: "t" }, { error: { message: "QUOTA_EXCEEDED : later" } }, {}];
  const current = session();
  await assert.rejects(current.signUp(), { serverCode: "QUOTA_EXCEEDED" });
  assert.equal(requests[2][0], "accounts:delete");
  assert.equal(current.idToken, undefined);
});

test("the browser forgets a passkey that the server does not know", async () => {
  replies = [start, { error: { message: "PASSKEY_ENROLLMENT_NOT_FOUND" } }];
  await assert.rejects(session().signIn({}), { serverCode: "PASSKEY_ENROLLMENT_NOT_FOUND" });
  assert.deepEqual(signals, [["unknown", { rpId: "example.org", credentialId: "AQ" }]]);
});

test("a pending second factor opens no session", async () => {
  replies = [start, { mfaPendingCredential: "p" }];
  const current = session();
  await assert.rejects(current.signIn({}), { serverCode: "SECOND_FACTOR_REQUIRED" });
  assert.equal(current.idToken, undefined);
});
