// The module for web applications in a scripted browser: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";

import { Latchkey, LatchkeyError } from "../../../Services/gateway/Scripts/latchkey.js";

const home = "https://app.example.com/signed-in";
const issuer = "https://securetoken.google.com/shop";
const base64url = (text) => Buffer.from(text).toString("base64url");

let requests;
let reply;
let stored;

beforeEach(() => {
  [requests, stored] = [[], new Map()];
  reply = () => ({ ok: true, body: {} });
  const location = new URL(home);
  globalThis.location = {
    get href() { return location.href; }, get origin() { return location.origin; },
    get pathname() { return location.pathname; },
    assign: (address) => { location.href = address; },
  };
  globalThis.history = { state: { page: 1 }, replaceState: (state, _, address) => { location.href = address; } };
  globalThis.sessionStorage = {
    getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value),
    removeItem: (key) => stored.delete(key),
  };
  globalThis.fetch = async (url, options) => {
    requests.push([String(url), options]);
    const { ok, body } = reply(options);
    return { ok, json: async () => body };
  };
});

const application = () => new Latchkey({ clientId: "c", server: "https://auth.example.com" });

/** Signs in up to the response. Returns the request. */
async function leave(latchkey = application(), options) {
  await latchkey.signIn(options);
  return new URL(location.href).searchParams;
}

/** The response of the server to a request. */
function back(query, changes = {}) {
  const items = { code: "x", state: query.get("state"), iss: issuer, ...changes };
  for (const name of Object.keys(items)) if (items[name] === undefined) delete items[name];
  location.assign(`${home}?page=2&${new URLSearchParams(items)}#part`);
}

const tokens = (query, changes = {}) => () => {
  const claims = { iss: issuer, nonce: query.get("nonce"), name: "Ada Ō", ...changes };
  const idToken = `h.${base64url(JSON.stringify(claims))}.s`;
  return { ok: true, body: { id_token: idToken, refresh_token: "r", expires_in: 3600, user_id: "ada" } };
};

test("the request demands a code for a verifier that stays in the tab", async () => {
  const query = await leave(application(), { loginHint: "ada@example.com", maxAge: 0, acrValues: "phr" });
  assert.ok(location.href.startsWith("https://auth.example.com/__/auth/authorize?"));
  const { verifier } = JSON.parse(stored.get(`latchkey:c:${query.get("state")}`));
  assert.equal(query.get("code_challenge"), createHash("sha256").update(verifier).digest("base64url"));
  assert.match(verifier, /^[A-Za-z0-9_-]{43}$/);
  assert.ok(!location.href.includes(verifier));
  const expected = {
    response_type: "code", client_id: "c", redirect_uri: home, code_challenge_method: "S256",
    login_hint: "ada@example.com", max_age: "0", acr_values: "phr",
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(query.get(name), value);
  assert.equal(query.has("prompt"), false);
});

test("two requests have nothing in common", async () => {
  const [first, second] = [await leave(), await leave()];
  for (const name of ["state", "nonce", "code_challenge"]) assert.notEqual(first.get(name), second.get(name));
});

test("the code becomes tokens, and leaves the address", async () => {
  const query = await leave();
  const { verifier } = JSON.parse([...stored.values()][0]);
  back(query);
  reply = tokens(query);
  const result = await application().handleRedirect();
  assert.deepEqual([result.refreshToken, result.expiresIn, result.userId], ["r", 3600, "ada"]);
  assert.equal(location.href, `${home}?page=2#part`);
  assert.equal(stored.size, 0);
  const [[url, options]] = requests;
  assert.equal(url, "https://auth.example.com/__/auth/token");
  assert.equal(options.credentials, "omit");
  assert.deepEqual(Object.fromEntries(options.body), {
    grant_type: "authorization_code", client_id: "c", code: "x", redirect_uri: home, code_verifier: verifier,
  });
});

test("a library that takes custom tokens gets the code", async () => {
  const query = await leave();
  const { verifier } = JSON.parse([...stored.values()][0]);
  back(query);
  let given;
  assert.equal(await application().handleRedirect(async (token) => { given = token; return "user"; }), "user");
  const [prefix, json] = given.split(".");
  assert.equal(prefix, "latchkey-code");
  assert.deepEqual(JSON.parse(Buffer.from(json, "base64url")), {
    client_id: "c", code: "x", redirect_uri: home, code_verifier: verifier,
  });
  assert.deepEqual(requests, []);
});

test("a page without a response does nothing", async () => {
  for (const address of [home, `${home}?state=s`, `${home}?code=x`]) {
    location.assign(address);
    assert.equal(await application().handleRedirect(), null);
    assert.equal(location.href, address);
  }
});

const refuses = async (code) =>
  assert.rejects(application().handleRedirect(), (error) => error instanceof LatchkeyError && error.code === code);

test("the response of another tab is refused, and asks for nothing", async () => {
  const query = await leave();
  back(query, { state: "of-another" });
  await refuses("invalid_response");
  assert.equal(location.href, `${home}?page=2#part`);
  assert.deepEqual(requests, []);
});

test("a response counts once", async () => {
  const query = await leave();
  back(query);
  reply = tokens(query);
  await application().handleRedirect();
  back(query);
  await refuses("invalid_response");
  assert.equal(requests.length, 1);
});

test("tokens of another sign-in or another issuer are refused", async () => {
  for (const changes of [{ nonce: "other" }, { nonce: undefined }, { iss: "https://evil.example" }]) {
    const query = await leave();
    back(query);
    reply = tokens(query, changes);
    await refuses("invalid_response");
  }
  const query = await leave();
  back(query, { iss: "https://evil.example" });
  reply = tokens(query);
  await refuses("invalid_response");
});

test("errors of both endpoints reach the application", async () => {
  const query = await leave();
  back(query, { code: undefined, error: "login_required" });
  await refuses("login_required");
  const next = await leave();
  back(next);
  reply = () => ({ ok: false, body: { error: "invalid_grant", error_description: "too late" } });
  await refuses("invalid_grant");
});

test("the page of a proxy in the place of a reply is an error of its own", async () => {
  const query = await leave();
  back(query);
  globalThis.fetch = async () => ({ ok: false, json: async () => JSON.parse("<html>") });
  await refuses("temporarily_unavailable");
  await assert.rejects(new Latchkey({ clientId: "c", server: "https://auth.example.com" }).generateRecoveryCodes("i"), {
    code: "UNAVAILABLE",
  });
});

// Passkeys and recovery codes

const account = () => new Latchkey({ clientId: "c", server: "https://auth.example.com", apiKey: "k&" });
const session = { idToken: "i", refreshToken: "r", expiresIn: "3600", localId: "ada" };
const assertion = { toJSON: () => ({ id: "cGFzc2tleQ", response: { signature: "s" } }) };

/** The browser and the server of a ceremony. Returns what the password manager hears. */
function ceremony(method, credential, replies) {
  const told = [];
  globalThis.PublicKeyCredential = Object.fromEntries(
    ["UnknownCredential", "AllAcceptedCredentials", "CurrentUserDetails"].map((name) => [
      `signal${name}`, async (argument) => { told.push([name, argument]); throw new Error("not stored here"); },
    ]));
  Object.defineProperty(globalThis, "navigator", {
    value: { credentials: { [method]: async (options) => { told.push([method, options]); return credential; } } },
    configurable: true,
  });
  reply = () => replies.shift();
  return told;
}

const sent = () => requests.map(([url, { body }]) => [url.split("/v2/accounts/")[1], JSON.parse(body)]);

test("a passkey signs in without leaving the page", async () => {
  const signals = { rpId: "example.com", userHandle: "h", allAcceptedCredentialIds: ["x"], name: "n", displayName: "d" };
  const told = ceremony("get", assertion, [
    { ok: true, body: { credentialRequestOptions: { challenge: "/w==", rpId: "example.com" } } },
    { ok: true, body: { ...session, signals } },
  ]);
  const result = await account().signInWithPasskey({ mediation: "conditional", tenantId: "t" });
  assert.deepEqual(result, { idToken: "i", refreshToken: "r", expiresIn: 3600, userId: "ada" });
  assert.deepEqual(sent(), [
    ["passkeySignIn:start?key=k%26", { tenantId: "t" }],
    ["passkeySignIn:finalize?key=k%26", { tenantId: "t", authenticatorAuthenticationResponse: assertion.toJSON() }],
  ]);
  const [[, { publicKey, mediation }], ...heard] = told;
  assert.deepEqual([mediation, [...publicKey.challenge]], ["conditional", [255]]);
  assert.deepEqual(heard, [
    ["AllAcceptedCredentials", { rpId: "example.com", userId: "h", allAcceptedCredentialIds: ["x"] }],
    ["CurrentUserDetails", { rpId: "example.com", userId: "h", name: "n", displayName: "d" }],
  ]);
});

test("a passkey that nobody has is forgotten by the password manager", async () => {
  const told = ceremony("get", assertion, [
    { ok: true, body: { credentialRequestOptions: { challenge: "", rpId: "example.com" } } },
    { ok: false, body: { error: { message: "PASSKEY_ENROLLMENT_NOT_FOUND" } } },
  ]);
  await assert.rejects(account().signInWithPasskey(), { code: "PASSKEY_ENROLLMENT_NOT_FOUND" });
  assert.deepEqual(told.at(-1), ["UnknownCredential", { rpId: "example.com", credentialId: "cGFzc2tleQ" }]);
});

test("an account with another factor is no session", async () => {
  ceremony("get", assertion, [
    { ok: true, body: { credentialRequestOptions: { challenge: "" } } }, { ok: true, body: { mfaPendingCredential: "p" } },
  ]);
  await assert.rejects(account().signInWithPasskey(), { code: "MFA_REQUIRED" });
});

test("a passkey is added to the account of a session", async () => {
  ceremony("create", { toJSON: () => ({ id: "x" }) }, [
    { ok: true, body: { credentialCreationOptions: { challenge: "", user: { id: "" } } } }, { ok: true, body: session },
  ]);
  assert.equal((await account().addPasskey("i", { name: "Laptop" })).userId, "ada");
  assert.deepEqual(sent(), [
    ["passkeyEnrollment:start?key=k%26", { idToken: "i" }],
    ["passkeyEnrollment:finalize?key=k%26",
      { idToken: "i", name: "Laptop", authenticatorRegistrationResponse: { id: "x" } }],
  ]);
});

test("recovery codes", async () => {
  reply = () => ({ ok: true, body: { recoveryCodes: ["a-b"] } });
  assert.deepEqual(await account().generateRecoveryCodes("i"), ["a-b"]);
  assert.deepEqual(sent(), [["recoveryCodes:generate?key=k%26", { idToken: "i" }]]);
  reply = () => ({ ok: false, body: { error: { message: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN : later" } } });
  await assert.rejects(account().generateRecoveryCodes("i"), { code: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN" });
});

test("the module is small", async () => {
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(new URL("../../../Services/gateway/Scripts/latchkey.js", import.meta.url));
  assert.ok(text.length <= 10 * 1024);
});
