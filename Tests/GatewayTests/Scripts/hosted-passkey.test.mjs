// The passkey of the hosted sign-in with a scripted page: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { test } from "node:test";

const turns = () => new Promise((resolve) => setImmediate(resolve));

test("the button's request is not ended by the one of the field that comes later", async () => {
  const requests = [];
  let press;
  let answerAvailability;
  const form = {
    dataset: { apiKey: "k", ceremonyMilliseconds: "60000" }, elements: { response: {} }, submit: () => {},
  };
  const elements = {
    passkeyForm: form, alarm: {}, usePasskey: { addEventListener: (_, listener) => { press = listener; } },
  };
  globalThis.document = { getElementById: (id) => elements[id], querySelectorAll: () => [] };
  globalThis.PublicKeyCredential = {
    isConditionalMediationAvailable: () => new Promise((resolve) => { answerAvailability = resolve; }),
  };
  globalThis.window = globalThis;
  globalThis.setTimeout = () => 0;
  globalThis.fetch = async () => ({
    ok: true, json: async () => ({ credentialRequestOptions: { challenge: "AQ==" } }),
  });
  Object.defineProperty(globalThis, "navigator", {
    configurable: true,
    value: { credentials: { get: (options) => { requests.push(options); return new Promise(() => {}); } } },
  });
  await import("../../../Services/gateway/Scripts/hosted-passkey.js");
  press();
  answerAvailability(true);
  await turns();
  await turns();
  assert.deepEqual(requests.map((options) => options.mediation), ["optional"]);
  assert.equal(requests[0].signal.aborted, false);
});
