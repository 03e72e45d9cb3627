// The signals of the account page, and of a passkey that is unknown at the sign-in: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { test } from "node:test";

const details = { rpId: "example.org", userHandle: "u", allAcceptedCredentialIds: ["a"], name: "ada", displayName: "Ada" };

test("the password manager hears which passkeys the account has", async () => {
  const told = [];
  globalThis.document = { getElementById: () => ({ dataset: { signals: JSON.stringify(details) } }) };
  globalThis.PublicKeyCredential = {
    signalAllAcceptedCredentials: async (list) => told.push(list), signalCurrentUserDetails: async (user) => told.push(user),
  };
  await import("../../../Services/gateway/Scripts/account-signals.js");
  assert.deepEqual(told, [
    { rpId: "example.org", userId: "u", allAcceptedCredentialIds: ["a"] },
    { rpId: "example.org", userId: "u", name: "ada", displayName: "Ada" },
  ]);
});

test("a browser without signals and a password manager that refuses change nothing", async () => {
  const { signalAccount, signalUnknown } = await import("../../../Services/gateway/Scripts/passkey-signals.js");
  const warn = console.warn;
  console.warn = () => {};
  try {
    for (const api of [undefined, {}, { signalUnknownCredential: async () => { throw new TypeError(); } }]) {
      globalThis.PublicKeyCredential = api;
      await signalAccount(details);
      await signalUnknown("example.org", "a");
    }
  } finally {
    console.warn = warn;
  }
});
