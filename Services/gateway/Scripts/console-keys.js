// The keys of the console: `/` to search, `g` and a letter to a page, `?` to their list. They are off while a field has the
// focus, and where the operator has switched them off on the page of the list (WCAG 2.1.4).

const shortcuts = document.getElementById("shortcuts");
const { search, help, ...pages } = shortcuts.dataset;
const storage = "console-shortcuts";
// So long after `g`, the next key is a page.
const sequenceMilliseconds = 1500;

const isOff = () => {
  try {
    return localStorage.getItem(storage) === "off";
  } catch {
    return false; // A browser that keeps nothing.
  }
};

const isField = (element) =>
  element.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(element.tagName);

let began = -Infinity;

document.addEventListener("keydown", (event) => {
  const { key, timeStamp, target } = event;
  if (event.defaultPrevented || event.isComposing || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (isField(target) || isOff()) return;
  const isSequence = timeStamp - began <= sequenceMilliseconds;
  began = -Infinity;
  if (isSequence && Object.hasOwn(pages, key)) {
    event.preventDefault();
    location.assign(pages[key]);
  } else if (key === "g") {
    began = timeStamp;
  } else if (key === "?") {
    event.preventDefault();
    location.assign(help);
  } else if (key === "/") {
    const field = document.getElementById("q");
    if (!field && !search) return;
    event.preventDefault();
    if (field) field.focus();
    else location.assign(search);
  }
});

const box = document.getElementById("shortcuts-on");
if (box) {
  box.checked = !isOff();
  box.addEventListener("change", () => localStorage.setItem(storage, box.checked ? "on" : "off"));
}
