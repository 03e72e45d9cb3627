// Passkeys on the pages of the hosted sign-in: by the button, and in the field of the address. The form sends the response
// of the authenticator to the server, which opens the session.

import { requestOptions, toJSON } from "./passkey-encoding.js";
import { signalUnknown } from "./passkey-signals.js";
import "./show-password.js";

const form = document.getElementById("passkeyForm");
const alarm = document.getElementById("alarm");

const report = (text) => {
  alarm.textContent = text;
  alarm.hidden = false;
};

const start = async ({ apiKey, tenantId, options }) => {
  // The page of the console has brought them.
  if (options) return JSON.parse(options);
  const reply = await fetch(
    `/identitytoolkit.googleapis.com/v2/accounts/passkeySignIn:start?key=${encodeURIComponent(apiKey)}`, {
      method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(tenantId ? { tenantId } : {}),
    });
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.error.message);
  return body.credentialRequestOptions;
};

// One request at a time: that of the button ends the one that waits in the field, and never the other way round.
let current;

const signIn = async (mediation) => {
  if (current && current.mediation === "optional" && mediation === "conditional") return;
  if (current) current.abort.abort();
  const request = { mediation, abort: new AbortController() };
  current = request;
  try {
    const options = await start(form.dataset);
    if (request.abort.signal.aborted) return;
    const credential = await navigator.credentials.get({
      publicKey: requestOptions(options), mediation, signal: request.abort.signal,
    });
    form.elements.response.value = JSON.stringify(toJSON(credential));
    form.submit();
  } finally {
    if (current === request) current = undefined;
  }
};

let renewal;

const offer = async () => {
  if (form.dataset.start === "byButton") return;
  const api = window.PublicKeyCredential;
  if (!api || !api.isConditionalMediationAvailable || !await api.isConditionalMediationAvailable()) return;
  // Shortly before the challenge expires, another one takes its place.
  clearTimeout(renewal);
  renewal = setTimeout(offer, Number(form.dataset.ceremonyMilliseconds) * 4 / 5);
  try {
    await signIn("conditional");
  } catch (error) {
    // The browser ends the request without a word when the user does not want a passkey.
    console.warn(error);
    if (error.name !== "AbortError") clearTimeout(renewal);
  }
};

if (form) {
  const button = document.getElementById("usePasskey");
  button.addEventListener("click", async () => {
    alarm.hidden = true;
    if (!window.PublicKeyCredential) {
      report(form.dataset.unsupported);
      return;
    }
    try {
      await signIn("optional");
    } catch (error) {
      console.warn(error);
      report(form.dataset.canceled);
      offer();
    }
  });
  button.disabled = false;
  if (form.dataset.start === "afterAnAct") {
    // An authenticator that asks nobody would send the refused passkey again, without end.
    const acted = new AbortController();
    for (const act of ["pointerdown", "keydown"]) {
      document.addEventListener(act, () => {
        acted.abort();
        offer();
      }, { signal: acted.signal });
    }
  } else {
    offer();
  }
}

// The password manager has offered a passkey that no account has.
const unknown = document.getElementById("unknownPasskey");
if (unknown) signalUnknown(unknown.dataset.relyingParty, unknown.dataset.credential);

// The server offers a passkey after the sign-in where this device can have one.
const platform = window.PublicKeyCredential && PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable;
if (platform && await platform.call(PublicKeyCredential)) {
  for (const field of document.querySelectorAll("input[name=passkeys]")) field.value = "1";
}
