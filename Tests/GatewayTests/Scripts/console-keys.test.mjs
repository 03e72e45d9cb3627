// The keys of the console: `node --test Tests/GatewayTests/Scripts`.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const script = readFileSync(new URL("../../../Services/gateway/Scripts/console-keys.js", import.meta.url), "utf8");

const open = ({ search, field, box, stored = {} } = {}) => {
  const went = [];
  let listener;
  const elements = { shortcuts: { dataset: { search, help: "/keys", u: "/users", a: "/audit" } }, q: field, "shortcuts-on": box };
  const document = {
    getElementById: (id) => elements[id], addEventListener: (name, found) => { listener = found; },
  };
  const localStorage = {
    getItem: (name) => stored[name] ?? null, setItem: (name, value) => { stored[name] = value; },
  };
  new Function("document", "location", "localStorage", script)(document, { assign: (path) => went.push(path) }, localStorage);
  const press = (key, more = {}) => {
    const event = { key, timeStamp: 0, target: { tagName: "BODY" }, preventDefault() { this.prevented = true; }, ...more };
    listener(event);
    return event.prevented === true;
  };
  return { went, press, stored };
};

test("g and a letter lead to a page", () => {
  const { went, press } = open();
  assert.equal(press("g"), false);
  assert.equal(press("u", { timeStamp: 1500 }), true);
  press("u");
  press("g");
  press("x");
  press("a");
  assert.deepEqual(went, ["/users"]);
});

test("a letter that comes late is no page", () => {
  const { went, press } = open();
  press("g");
  press("u", { timeStamp: 1501 });
  assert.deepEqual(went, []);
});

test("the list has a key, and the search field gets the focus", () => {
  let focused = 0;
  const { went, press } = open({ search: "/users", field: { focus: () => { focused += 1; } } });
  press("?");
  assert.equal(press("/"), true);
  assert.deepEqual([went, focused], [["/keys"], 1]);
  const other = open({ search: "/users" });
  other.press("/");
  assert.deepEqual(other.went, ["/users"]);
  assert.equal(open().press("/"), false);
});

test("fields, other keys and other listeners come first", () => {
  const { went, press } = open();
  for (const tagName of ["INPUT", "TEXTAREA", "SELECT"]) press("?", { target: { tagName } });
  press("?", { target: { tagName: "DIV", isContentEditable: true } });
  for (const name of ["ctrlKey", "altKey", "metaKey", "isComposing", "repeat", "defaultPrevented"]) press("?", { [name]: true });
  assert.deepEqual(went, []);
});

test("keys that are off do nothing until they are on", () => {
  const listeners = [];
  const box = { addEventListener: (name, found) => listeners.push(found) };
  const { went, press, stored } = open({ box, stored: { "console-shortcuts": "off" } });
  assert.equal(box.checked, false);
  press("?");
  box.checked = true;
  listeners[0]();
  assert.deepEqual(stored, { "console-shortcuts": "on" });
  press("?");
  assert.deepEqual(went, ["/keys"]);
});
