// The passkey of the hosted sign-in with a scripted page: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { test } from "node:test";

const turns = async () => {
  for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** The page with its script: what the browser was asked for, and what a test does on the page. */
const open = async (name, dataset, isAvailable) => {
  const page = { requests: [] };
  const form = {
    dataset: { apiKey: "k", ceremonyMilliseconds: "60000", ...dataset }, elements: { response: {} },
    submit: () => {},
  };
  page.button = { disabled: true, addEventListener: (_, listener) => { page.press = listener; } };
  const elements = { passkeyForm: form, alarm: {}, usePasskey: page.button };
  const target = new EventTarget();
  page.act = (act) => target.dispatchEvent(new Event(act));
  globalThis.document = {
    getElementById: (id) => elements[id], querySelectorAll: () => [],
    addEventListener: (...all) => target.addEventListener(...all),
  };
  globalThis.PublicKeyCredential = { isConditionalMediationAvailable: () => isAvailable };
  globalThis.window = globalThis;
  globalThis.setTimeout = () => 0;
  globalThis.fetch = async () => ({
    ok: true, json: async () => ({ credentialRequestOptions: { challenge: "AQ==" } }),
  });
  Object.defineProperty(globalThis, "navigator", {
    configurable: true,
    value: { credentials: { get: (options) => { page.requests.push(options); return new Promise(() => {}); } } },
  });
  // Each test has its own copy of the script.
  await import(`../../../Services/gateway/Scripts/hosted-passkey.js?${name}`);
  return page;
};

test("the button's request is not ended by the one of the field that comes later", async () => {
  let answerAvailability;
  const page = await open("button", {}, new Promise((resolve) => { answerAvailability = resolve; }));
  assert.equal(page.button.disabled, false);
  page.press();
  answerAvailability(true);
  await turns();
  assert.deepEqual(page.requests.map((options) => options.mediation), ["optional"]);
  assert.equal(page.requests[0].signal.aborted, false);
});

test("passkeys are offered at once", async () => {
  const page = await open("first", {}, Promise.resolve(true));
  await turns();
  assert.deepEqual(page.requests.map((options) => options.mediation), ["conditional"]);
});

test("a refused passkey is not asked for again until the user acts", async () => {
  const page = await open("refused", { start: "afterAnAct" }, Promise.resolve(true));
  await turns();
  assert.deepEqual(page.requests, []);
  page.act("keydown");
  await turns();
  page.act("pointerdown");
  await turns();
  assert.deepEqual(page.requests.map((options) => options.mediation), ["conditional"]);
});

test("a page without the field asks for a passkey by its button alone", async () => {
  const page = await open("second", { start: "byButton" }, Promise.resolve(true));
  await turns();
  assert.deepEqual(page.requests, []);
  page.press();
  await turns();
  assert.deepEqual(page.requests.map((options) => options.mediation), ["optional"]);
});

test("the options of the page need no request", async () => {
  const options = JSON.stringify({ challenge: "Ag==", rpId: "localhost" });
  const page = await open("console", { options }, Promise.resolve(true));
  globalThis.fetch = async () => assert.fail("the page has its options");
  await turns();
  assert.deepEqual(page.requests.map(({ publicKey }) => publicKey.rpId), ["localhost"]);
});
