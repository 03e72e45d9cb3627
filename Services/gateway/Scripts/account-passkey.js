// Adds a passkey on the account page, and after a sign-in. The form sends the response of the authenticator to the server, which has the session.

import { creationOptions, toJSON } from "./passkey-encoding.js";

const form = document.getElementById("passkeyForm");
const { options, canceled, exists, unsupported } = form.dataset;
const alarm = document.getElementById("alarm");

const report = (text) => {
  alarm.textContent = text;
  alarm.hidden = false;
};

document.getElementById("addPasskey").addEventListener("click", async () => {
  alarm.hidden = true;
  if (!window.PublicKeyCredential) {
    report(unsupported);
    return;
  }
  try {
    const credential = await navigator.credentials.create({ publicKey: creationOptions(JSON.parse(options)) });
    form.elements.response.value = JSON.stringify(toJSON(credential));
    form.submit();
  } catch (error) {
    console.warn(error);
    report(error.name === "InvalidStateError" ? exists : canceled);
  }
});
