// The passkey that is offered after a sign-in, with a scripted page: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { test } from "node:test";

const turns = () => new Promise((resolve) => setImmediate(resolve));
const options = JSON.stringify({ challenge: "AQ==", user: { id: "AQ==" } });
const credential = { toJSON: () => ({ id: "AQ" }) };
let visits = 0;

// Opens the page in a browser, whose password manager answers requests with `create`.
const open = async ({ conditionalCreate, create, unasked = options }) => {
  const page = { requests: [], sent: 0, alarm: {} };
  const form = {
    dataset: { options, canceled: "canceled", exists: "exists", ...(unasked && { unasked }) },
    elements: { response: {} }, submit: () => { page.sent += 1; },
  };
  const button = { disabled: true, addEventListener: (_, listener) => { page.press = listener; } };
  globalThis.document = { getElementById: (id) => ({ passkeyForm: form, addPasskey: button, alarm: page.alarm })[id] };
  globalThis.PublicKeyCredential = { getClientCapabilities: async () => ({ conditionalCreate }) };
  globalThis.window = globalThis;
  Object.defineProperty(globalThis, "navigator", {
    configurable: true,
    value: { credentials: { create: (request) => { page.requests.push(request); return create(request); } } },
  });
  console.warn = () => {};
  await import(`../../../Services/gateway/Scripts/account-passkey.js?${visits += 1}`);
  await turns();
  await turns();
  assert.equal(button.disabled, false);
  return page;
};

test("a password manager creates the passkey without asking", async () => {
  const page = await open({ conditionalCreate: true, create: async () => credential });
  assert.deepEqual(page.requests.map(({ mediation }) => mediation), ["conditional"]);
  assert.equal(page.sent, 1);
});

test("a password manager that does not want to leaves the page as it is", async () => {
  const page = await open({
    conditionalCreate: true, create: async () => { throw new DOMException("no", "NotAllowedError"); },
  });
  assert.equal(page.sent, 0);
  assert.deepEqual(page.alarm, {});
});

test("the button ends the request that waits", async () => {
  const page = await open({
    conditionalCreate: true,
    create: ({ mediation }) => (mediation ? new Promise(() => {}) : Promise.resolve(credential)),
  });
  await page.press();
  assert.deepEqual(page.requests.map(({ mediation }) => mediation), ["conditional", undefined]);
  assert.equal(page.requests[0].signal.aborted, true);
  assert.equal(page.sent, 1);
});

test("nothing is created unasked where the browser cannot, or on the page where the user has come to add one", async () => {
  for (const page of [{ conditionalCreate: false }, { conditionalCreate: true, unasked: null }]) {
    assert.deepEqual((await open({ ...page, create: async () => credential })).requests, []);
  }
});
