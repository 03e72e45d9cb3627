// The list of users follows the search field while it is typed in. Without this script the button of the form searches.

const field = document.getElementById("q");
// So long after the last key, the field is searched for.
const pauseMilliseconds = 250;

let timer;
let request;

const search = () => {
  const address = `${field.form.action}?${new URLSearchParams(new FormData(field.form))}`;
  request?.abort();
  request = new XMLHttpRequest();
  request.open("GET", address);
  request.responseType = "document"; // The browser parses the page and runs no script of it.
  // The session has ended, the mesh is busy or away: the page says so.
  const openPage = () => location.assign(address);
  request.addEventListener("error", openPage);
  request.addEventListener("load", () => {
    const page = request.response;
    const results = page?.getElementById("results");
    if (!results) {
      openPage();
      return;
    }
    document.getElementById("results").replaceWith(document.adoptNode(results));
    document.getElementById("found").textContent = page.getElementById("found").textContent;
    history.replaceState(null, "", address);
  });
  request.send();
};

field.addEventListener("input", (event) => {
  clearTimeout(timer);
  // A word that is being composed is searched for when it is complete.
  if (!event.isComposing) timer = setTimeout(search, pauseMilliseconds);
});
field.addEventListener("compositionend", () => {
  clearTimeout(timer);
  timer = setTimeout(search, pauseMilliseconds);
});
field.form.addEventListener("submit", () => {
  clearTimeout(timer);
  request?.abort();
});

// Makes a module of this file: what it names does not meet the names of the page's other scripts.
export {};
