// The passkey page, for every browser since 2021, without libraries. `passkey-session.js` has the protocol.

import { PasskeySession } from "./passkey-session.js";

const page = document.getElementById("passkeys");
const element = (id) => document.getElementById(id);
const messages = JSON.parse(page.dataset.messages);
const session = new PasskeySession(page.dataset);

// A refusal of the page itself, in the language of the user.
class PageError extends Error {}

// MARK: Passkeys in the input field. The request waits until the user chooses one there.

// Shortly before the challenge expires.
const renewalMilliseconds = Number(page.dataset.ceremonyMilliseconds) * 4 / 5;
let conditional;

const offerPasskeys = async () => {
  const api = window.PublicKeyCredential;
  if (conditional || session.idToken || !api.isConditionalMediationAvailable) return;
  const abort = new AbortController();
  conditional = abort;
  if (!await api.isConditionalMediationAvailable() || abort.signal.aborted) return;
  const renewal = setTimeout(() => {
    stopOffering();
    offerPasskeys();
  }, renewalMilliseconds);
  abort.signal.addEventListener("abort", () => clearTimeout(renewal));
  try {
    await session.signIn({}, "conditional", abort);
    await show();
  } catch (error) {
    // The browser ends the request without a word when the user does not want a passkey.
    if (error.serverCode) report(error);
  } finally {
    clearTimeout(renewal);
    if (conditional === abort) conditional = undefined;
  }
};
const stopOffering = () => {
  if (conditional) conditional.abort();
  conditional = undefined;
};

// MARK: The list

const nameOf = (passkey) => passkey.name === page.dataset.defaultName ? page.dataset.unnamed : passkey.name;

const entry = (passkey) => {
  const form = element("entry").content.cloneNode(true).querySelector("form");
  form.elements.name.value = nameOf(passkey);
  form.addEventListener("submit", handler(async () => {
    await session.rename(passkey, form.elements.name.value);
    return messages.renamed;
  }));
  form.elements.remove.addEventListener("click", handler(async () => {
    // Another device may have changed the account since the list was shown.
    if (isLastMethod(await session.lookUp())) throw new PageError(messages.lastMethod);
    if (!await confirmRemoval(passkey)) return "";
    await session.remove(passkey);
    return messages.removed;
  }));
  return form;
};

// Whether a passkey of the account is its only way to sign in.
const isLastMethod = (user) => (user.passkeyInfo || []).length < 2 && !user.passwordHash
  && !user.emailLinkSignin && !user.phoneNumber && !(user.providerUserInfo || []).length;

const confirmRemoval = (passkey) => new Promise((resolve) => {
  const dialog = element("removal");
  element("removalName").textContent = nameOf(passkey);
  dialog.returnValue = "keep";
  dialog.addEventListener("close", () => resolve(dialog.returnValue === "remove"), { once: true });
  dialog.showModal();
});

const show = async () => {
  if (session.idToken) {
    const user = await session.lookUp();
    const passkeys = user.passkeyInfo || [];
    element("account").textContent = user.email || user.phoneNumber || user.displayName || user.localId;
    element("noPasskeys").hidden = passkeys.length > 0;
    element("list").replaceChildren(...passkeys.map(entry));
  }
  for (const part of page.querySelectorAll("[data-state]")) {
    part.hidden = part.dataset.state !== (session.idToken ? "signedIn" : "signedOut");
  }
};

// MARK: Actions and their messages

const messageOf = (error) => {
  if (error instanceof PageError) return error.message;
  switch (error.serverCode || error.name) {
    case "NotAllowedError": case "AbortError": return messages.canceled;
    case "InvalidStateError": case "PASSKEY_EXISTS": return messages.exists;
    case "PASSKEY_ENROLLMENT_NOT_FOUND": return messages.unknown;
    case "PASSKEY_CHALLENGE_TIMEOUT": return messages.timedOut;
    case "SECOND_FACTOR_REQUIRED": return messages.secondFactor;
    case "EMAIL_NOT_FOUND": case "INVALID_EMAIL": case "INVALID_LOGIN_CREDENTIALS": case "INVALID_PASSWORD":
    case "MISSING_EMAIL": case "MISSING_PASSWORD":
      return messages.invalidCredentials;
    case "QUOTA_EXCEEDED": case "TOO_MANY_ATTEMPTS_TRY_LATER": return page.dataset.tooManyAttempts;
    case "USER_DISABLED": return page.dataset.accountDisabled;
    default: return `${messages.failed} (${error.serverCode || error.message})`;
  }
};
const report = (error) => {
  console.warn(error);
  element("alarm").textContent = messageOf(error);
};

let isBusy = false;

// One action at a time. Its result is the message for the user.
const handler = (action) => async (event) => {
  event.preventDefault();
  if (isBusy) return;
  isBusy = true;
  element("status").textContent = element("alarm").textContent = "";
  stopOffering();
  try {
    const message = await action();
    await show();
    element("status").textContent = message || "";
  } catch (error) {
    report(error);
  } finally {
    isBusy = false;
    offerPasskeys();
  }
};

const start = () => {
  element("signIn").addEventListener("submit", handler(async () => {
    const identifier = element("identifier").value.trim();
    await session.signIn(identifier ? { identifier } : {});
  }));
  if (element("passwordSignIn")) {
    element("passwordSignIn").addEventListener("submit", handler(async () => {
      await session.signInWithPassword(element("identifier").value.trim(), element("password").value);
      element("password").value = "";
    }));
  }
  element("signUp").addEventListener("click", handler(async () => {
    await session.signUp();
    return messages.added;
  }));
  element("add").addEventListener("click", handler(async () => {
    await session.addPasskey();
    return messages.added;
  }));
  element("signOut").addEventListener("click", handler(async () => session.signOut()));
  show().then(offerPasskeys, report);
};

if (["127.0.0.1", "[::1]"].includes(location.hostname)) {
  // A relying party ID is a domain, so passkeys do not work under an address.
  location.hostname = "localhost";
} else if (window.PublicKeyCredential) {
  start();
} else {
  element("alarm").textContent = messages.unsupported;
}
