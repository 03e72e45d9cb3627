extension PasskeyView {
    /// The script of the page, for every browser with Web Authentication, without libraries. It uses the functions of
    /// Level 3 where the browser has them.
    static let script = #"""
        // Passkeys with the REST protocol of Latchkey (docs/use/passkeys.md).
        "use strict";
        (() => {
          const page = document.getElementById("passkeys");
          const element = (id) => document.getElementById(id);
          const messages = JSON.parse(page.dataset.messages);
          const pkc = window.PublicKeyCredential;

          // A relying party ID is a domain, so passkeys do not work under an address.
          if (["127.0.0.1", "[::1]"].includes(location.hostname)) {
            location.hostname = "localhost";
            return;
          }

          // MARK: Bytes. Latchkey sends padded base64, and reads base64url too.

          const toBase64URL = (text) => text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
          const toBytes = (text) => Uint8Array.from(
            atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
          const toText = (buffer) => toBase64URL(
            btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("")));

          // The options with each text of bytes converted.
          const convert = (options, conversion) => {
            const convertIDs = (list) => (list || []).map((entry) => ({ ...entry, id: conversion(entry.id) }));
            const converted = { ...options, challenge: conversion(options.challenge) };
            if (options.user) converted.user = { ...options.user, id: conversion(options.user.id) };
            if (options.excludeCredentials) converted.excludeCredentials = convertIDs(options.excludeCredentials);
            if (options.allowCredentials) converted.allowCredentials = convertIDs(options.allowCredentials);
            return converted;
          };
          const creationOptions = (options) => pkc.parseCreationOptionsFromJSON
            ? pkc.parseCreationOptionsFromJSON(convert(options, toBase64URL)) : convert(options, toBytes);
          const requestOptions = (options) => pkc.parseRequestOptionsFromJSON
            ? pkc.parseRequestOptionsFromJSON(convert(options, toBase64URL)) : convert(options, toBytes);

          const toJSON = (credential) => {
            if (credential.toJSON) return credential.toJSON();
            const { response } = credential;
            const json = { clientDataJSON: toText(response.clientDataJSON) };
            if (response.attestationObject) {
              json.attestationObject = toText(response.attestationObject);
              json.transports = response.getTransports ? response.getTransports() : [];
            } else {
              json.authenticatorData = toText(response.authenticatorData);
              json.signature = toText(response.signature);
              if (response.userHandle) json.userHandle = toText(response.userHandle);
            }
            return { id: credential.id, rawId: credential.id, type: credential.type, response: json };
          };

          // MARK: Requests

          const send = async (operation, fields) => {
            const body = { ...fields };
            if (page.dataset.tenantId) body.tenantId = page.dataset.tenantId;
            const key = encodeURIComponent(page.dataset.apiKey);
            const response = await fetch(`/identitytoolkit.googleapis.com/${operation}?key=${key}`, {
              method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
            });
            const reply = await response.json();
            if (response.ok) return reply;
            throw serverError(reply.error.message);
          };
          // A refusal of the page itself, in the language of the user.
          class PageError extends Error {}
          // The code is the text before " : ". Errors of the browser have only a name.
          const serverError = (message) => Object.assign(new Error(message), { serverCode: message.split(" : ")[0] });

          // MARK: Signals, which keep the password manager of the user up to date. They may fail without harm.

          const signal = async (name, details) => {
            try {
              if (pkc[name]) await pkc[name](details);
            } catch (error) {
              console.warn(name, error);
            }
          };
          const sendSignals = async ({ rpId, userHandle, allAcceptedCredentialIds, name, displayName }) => {
            const user = { rpId, userId: userHandle };
            await signal("signalAllAcceptedCredentials", { ...user, allAcceptedCredentialIds });
            if (name) await signal("signalCurrentUserDetails", { ...user, name, displayName });
          };
          const signalUnknown = (rpId, credentialId) => signal("signalUnknownCredential", { rpId, credentialId });

          // MARK: Ceremonies

          let idToken;  // Of the session; a reload of the page ends it.

          const openSession = async (reply) => {
            if (reply.mfaPendingCredential) throw serverError("SECOND_FACTOR_REQUIRED");
            if (reply.idToken) idToken = reply.idToken;
            if (reply.signals) await sendSignals(reply.signals);
          };

          // Creates a passkey for the account of the session.
          const addPasskey = async () => {
            const start = await send("v2/accounts/passkeyEnrollment:start", { idToken });
            const credential = await navigator.credentials.create({
              publicKey: creationOptions(start.credentialCreationOptions),
            });
            await openSession(await send("v2/accounts/passkeyEnrollment:finalize", {
              idToken, authenticatorRegistrationResponse: toJSON(credential),
            }));
          };

          // `fields` are an identifier, the ID token of a user who signs in again, or empty.
          const signIn = async (fields, mediation, abort) => {
            const start = await send("v2/accounts/passkeySignIn:start", fields);
            const options = start.credentialRequestOptions;
            const credential = await navigator.credentials.get({
              publicKey: requestOptions(options), mediation, signal: abort && abort.signal,
            });
            try {
              await openSession(await send("v2/accounts/passkeySignIn:finalize", {
                authenticatorAuthenticationResponse: toJSON(credential),
              }));
            } catch (error) {
              if (error.serverCode === "PASSKEY_ENROLLMENT_NOT_FOUND") await signalUnknown(options.rpId, credential.id);
              throw error;
            }
          };

          // A new account whose only way to sign in is a passkey.
          const signUp = async () => {
            await openSession(await send("v1/accounts:signUp", { returnSecureToken: true }));
            try {
              await addPasskey();
            } catch (error) {
              await send("v1/accounts:delete", { idToken });
              idToken = undefined;
              throw error;
            }
          };

          // Repeats an action after a new sign-in if the session is too old for it.
          const withRecentSignIn = async (action) => {
            try {
              await action();
            } catch (error) {
              if (error.serverCode !== "CREDENTIAL_TOO_OLD_LOGIN_AGAIN") throw error;
              await signIn({ idToken });
              await action();
            }
          };

          const update = async (fields) => {
            const reply = await send("v1/accounts:update", { idToken, returnSecureToken: true, ...fields });
            await openSession(reply);
            return reply;
          };
          const rename = (passkey, name) => update({ renamePasskey: { credentialId: passkey.credentialId, name } });
          const remove = async (passkey) => {
            const reply = await update({ deletePasskey: [passkey.credentialId] });
            // Without signals, it was the last one.
            if (!reply.signals) await signalUnknown(passkey.rpId, toBase64URL(passkey.credentialId));
          };

          // MARK: Passkeys in the input field. The request waits until the user chooses one there.

          // Shortly before the challenge expires.
          const renewalMilliseconds = Number(page.dataset.ceremonyMilliseconds) * 4 / 5;
          let conditional;

          const offerPasskeys = async () => {
            if (conditional || idToken || !pkc.isConditionalMediationAvailable) return;
            const abort = new AbortController();
            conditional = abort;
            if (!await pkc.isConditionalMediationAvailable() || abort.signal.aborted) return;
            const renewal = setTimeout(() => {
              stopOffering();
              offerPasskeys();
            }, renewalMilliseconds);
            abort.signal.addEventListener("abort", () => clearTimeout(renewal));
            try {
              await signIn({}, "conditional", abort);
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

          // MARK: The page

          const entry = (passkey) => {
            const form = element("entry").content.cloneNode(true).querySelector("form");
            form.elements.name.value = passkey.name;
            form.addEventListener("submit", handler(async () => {
              await rename(passkey, form.elements.name.value);
              return messages.renamed;
            }));
            form.elements.remove.addEventListener("click", handler(async () => {
              // Another device may have changed the account since the list was shown.
              if (isLastMethod(await lookUp())) throw new PageError(messages.lastMethod);
              if (!await confirmRemoval(passkey)) return "";
              await withRecentSignIn(() => remove(passkey));
              return messages.removed;
            }));
            return form;
          };

          // Whether a passkey of the account is its only way to sign in.
          const isLastMethod = (user) => (user.passkeyInfo || []).length < 2 && !user.passwordHash
            && !user.emailLinkSignin && !user.phoneNumber && !(user.providerUserInfo || []).length;

          const confirmRemoval = (passkey) => new Promise((resolve) => {
            const dialog = element("removal");
            element("removalName").textContent = passkey.name;
            dialog.returnValue = "keep";
            dialog.addEventListener("close", () => resolve(dialog.returnValue === "remove"), { once: true });
            dialog.showModal();
          });

          const lookUp = async () => {
            const { users: [user] } = await send("v1/accounts:lookup", { idToken });
            return user;
          };

          const show = async () => {
            if (idToken) {
              const user = await lookUp();
              const passkeys = user.passkeyInfo || [];
              element("account").textContent = user.email || user.phoneNumber || user.displayName || user.localId;
              element("noPasskeys").hidden = passkeys.length > 0;
              element("list").replaceChildren(...passkeys.map(entry));
            }
            for (const part of page.querySelectorAll("[data-state]")) {
              part.hidden = part.dataset.state !== (idToken ? "signedIn" : "signedOut");
            }
          };

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

          if (!pkc) {
            element("alarm").textContent = messages.unsupported;
            return;
          }
          element("signIn").addEventListener("submit", handler(async () => {
            const identifier = element("identifier").value.trim();
            await signIn(identifier ? { identifier } : {});
          }));
          if (element("passwordSignIn")) {
            element("passwordSignIn").addEventListener("submit", handler(async () => {
              await openSession(await send("v1/accounts:signInWithPassword", {
                email: element("identifier").value.trim(), password: element("password").value,
                returnSecureToken: true,
              }));
              element("password").value = "";
            }));
          }
          element("signUp").addEventListener("click", handler(async () => {
            await signUp();
            return messages.added;
          }));
          element("add").addEventListener("click", handler(async () => {
            await withRecentSignIn(addPasskey);
            return messages.added;
          }));
          element("signOut").addEventListener("click", handler(async () => {
            idToken = undefined;
          }));
          show().then(offerPasskeys, report);
        })();
        """#
}
