// Adds a passkey on the account page, and after a sign-in. The form sends the response of the authenticator to the server,
// which has the session.

import { creationOptions, toJSON } from "./passkey-encoding.js";

const form = document.getElementById("passkeyForm");
const { options, unasked, canceled, exists, unsupported } = form.dataset;
const alarm = document.getElementById("alarm");

const report = (text) => {
  alarm.textContent = text;
  alarm.hidden = false;
};

const create = async (json, request) => {
  const credential = await navigator.credentials.create({ publicKey: creationOptions(JSON.parse(json)), ...request });
  form.elements.response.value = JSON.stringify(toJSON(credential));
  form.submit();
};

const waiting = new AbortController();

const button = document.getElementById("addPasskey");
button.addEventListener("click", async () => {
  alarm.hidden = true;
  // One request at a time.
  waiting.abort();
  if (!window.PublicKeyCredential) {
    report(unsupported);
    return;
  }
  try {
    await create(options);
  } catch (error) {
    console.warn(error);
    report(error.name === "InvalidStateError" ? exists : canceled);
  }
});
button.disabled = false;

// A password manager that has just filled in the password may create a passkey without asking (Web Authentication
// Level 3, 5.1.3). One that does not leaves the page as it is.
const createUnasked = async () => {
  const api = window.PublicKeyCredential;
  if (!unasked || !api || !api.getClientCapabilities) return;
  const { conditionalCreate } = await api.getClientCapabilities();
  if (conditionalCreate) await create(unasked, { mediation: "conditional", signal: waiting.signal });
};

createUnasked().catch((error) => console.warn(error));
