// Passkeys on the page of the hosted sign-in: by the button, and in the field of the address. The form sends the response
// of the authenticator to the server, which opens the session.

import { requestOptions, toJSON } from "./passkey-encoding.js";

const form = document.getElementById("passkeyForm");
const { apiKey, tenantId, canceled, unsupported } = document.getElementById("passkey").dataset;
const alarm = document.getElementById("alarm");

const report = (text) => {
  alarm.textContent = text;
  alarm.hidden = false;
};

const start = async () => {
  const reply = await fetch(
    `/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:start?key=${encodeURIComponent(apiKey)}`, {
      method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(tenantId ? { tenantId } : {}),
    });
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.error.message);
  return body.credentialRequestOptions;
};

// One request at a time: that of the button ends the one that waits in the field.
let waiting;

const signIn = async (mediation) => {
  if (waiting) waiting.abort();
  const abort = new AbortController();
  waiting = abort;
  const options = await start();
  if (abort.signal.aborted) return;
  const credential = await navigator.credentials.get({
    publicKey: requestOptions(options), mediation, signal: abort.signal,
  });
  form.elements.response.value = JSON.stringify(toJSON(credential));
  form.submit();
};

const offer = async () => {
  const api = window.PublicKeyCredential;
  if (!api || !api.isConditionalMediationAvailable || !await api.isConditionalMediationAvailable()) return;
  // The browser ends the request without a word when the user does not want a passkey.
  await signIn("conditional").catch((error) => console.warn(error));
};

document.getElementById("usePasskey").addEventListener("click", async () => {
  alarm.hidden = true;
  if (!window.PublicKeyCredential) {
    report(unsupported);
    return;
  }
  try {
    await signIn("optional");
  } catch (error) {
    console.warn(error);
    report(canceled);
    offer();
  }
});
offer();
