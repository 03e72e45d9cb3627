// The search of the console while it is typed in: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../../Services/gateway/Scripts/console-search.js", import.meta.url), "utf8")
  .replace("export {};", "");

const open = () => {
  const requests = [];
  const timers = new Map();
  const log = { replaced: [], went: [], address: undefined };
  const listeners = {};
  const elements = {
    results: { replaceWith: (found) => log.replaced.push(found) }, found: { textContent: "2 users" },
    q: {
      value: "",
      addEventListener: (name, listener) => { listeners[name] = listener; },
      form: { action: "/users", addEventListener: (name, listener) => { listeners[name] = listener; } },
    },
  };
  class FakeRequest {
    constructor() { requests.push(this); }
    open(method, address) { Object.assign(this, { method, address }); }
    addEventListener(name, listener) { this[name] = listener; }
    send() { this.isSent = true; }
    abort() { this.isAborted = true; }
    answer(response) { this.response = response; this.load(); }
    fail() { this.error(); }
  }
  let number = 0;
  const start = (body, milliseconds) => { timers.set(++number, { body, milliseconds }); return number; };
  const document = { getElementById: (id) => elements[id], adoptNode: (node) => node };
  const history = { replaceState: (state, title, address) => { log.address = address; } };
  const FormData = function () { return [["q", elements.q.value], ["tenant", "t 1"]]; };
  new Function("document", "location", "history", "XMLHttpRequest", "FormData", "setTimeout", "clearTimeout", script)(
    document, { assign: (address) => log.went.push(address) }, history, FakeRequest, FormData, start, (id) => timers.delete(id));
  const type = (value, more = {}) => { elements.q.value = value; listeners.input({ isComposing: false, ...more }); };
  const pass = () => { const due = [...timers.values()]; timers.clear(); due.forEach(({ body }) => body()); return due.length; };
  return { log, elements, requests, listeners, type, pass };
};

const page = (text) => {
  const results = { text };
  const found = { textContent: text };
  return { results, getElementById: (id) => ({ results, found })[id] };
};

test("a pause after the last key searches once, and the list is replaced", () => {
  const { log, elements, requests, type, pass } = open();
  for (const text of ["a", "ad", "ada"]) type(text);
  assert.equal(pass(), 1);
  assert.deepEqual(requests.map(({ address, responseType, isSent }) => [address, responseType, isSent]), [
    ["/users?q=ada&tenant=t+1", "document", true],
  ]);
  const answer = page("1 user");
  requests[0].answer(answer);
  assert.deepEqual(log.replaced, [answer.results]);
  assert.equal(elements.found.textContent, "1 user");
  assert.equal(log.address, "/users?q=ada&tenant=t+1");
});

test("a later search ends the one before, and the button ends both", () => {
  const { requests, listeners, type, pass } = open();
  type("a");
  pass();
  type("ad");
  pass();
  assert.deepEqual(requests.map(({ isAborted }) => isAborted), [true, undefined]);
  type("ada");
  listeners.submit();
  assert.equal(requests[1].isAborted, true);
  assert.equal(pass(), 0);
});

test("a word that is composed is searched for at its end", () => {
  const { requests, listeners, type, pass } = open();
  type("あ", { isComposing: true });
  assert.equal(pass(), 0);
  listeners.compositionend();
  pass();
  assert.equal(requests.length, 1);
});

test("a page without a list is opened, and one that does not come", () => {
  const { log, requests, type, pass } = open();
  type("a");
  pass();
  requests[0].answer({ getElementById: () => null });
  type("ab");
  pass();
  requests[1].answer(null);
  type("abc");
  pass();
  requests[2].fail();
  assert.deepEqual(log.went, ["/users?q=a&tenant=t+1", "/users?q=ab&tenant=t+1", "/users?q=abc&tenant=t+1"]);
  assert.deepEqual(log.replaced, []);
});
