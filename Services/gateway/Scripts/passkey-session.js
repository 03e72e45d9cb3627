// Passkeys with the REST protocol of Latchkey (docs/use/passkeys.md): the session of a user, its ceremonies and signals.

import { creationOptions, requestOptions, toBase64URL, toJSON } from "./passkey-encoding.js";
import { signalAccount, signalUnknown } from "./passkey-signals.js";

// The code is the text before " : ". Errors of the browser have only a name.
const serverError = (message) => Object.assign(new Error(message), { serverCode: message.split(" : ")[0] });

// The session of one user, in this page only: a reload ends it.
export class PasskeySession {
  idToken;
  #apiKey;
  #tenantId;

  constructor({ apiKey, tenantId }) {
    this.#apiKey = apiKey;
    this.#tenantId = tenantId;
  }

  async send(operation, fields) {
    const body = { ...fields };
    if (this.#tenantId) body.tenantId = this.#tenantId;
    const key = encodeURIComponent(this.#apiKey);
    const response = await fetch(`/identitytoolkit.googleapis.com/${operation}?key=${key}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const reply = await response.json();
    if (response.ok) return reply;
    throw serverError(reply.error.message);
  }

  async #open(reply) {
    if (reply.mfaPendingCredential) throw serverError("SECOND_FACTOR_REQUIRED");
    if (reply.idToken) this.idToken = reply.idToken;
    if (reply.signals) await signalAccount(reply.signals);
  }

  signOut() {
    this.idToken = undefined;
  }

  async signInWithPassword(email, password) {
    await this.#open(await this.send("v1/accounts:signInWithPassword", { email, password, returnSecureToken: true }));
  }

  // `fields` are an identifier, the ID token of a user who signs in again, or empty.
  async signIn(fields, mediation, abort) {
    const start = await this.send("v2/accounts/passkeySignIn:start", fields);
    const options = start.credentialRequestOptions;
    const credential = await navigator.credentials.get({
      publicKey: requestOptions(options), mediation, signal: abort && abort.signal,
    });
    try {
      await this.#open(await this.send("v2/accounts/passkeySignIn:finalize", {
        authenticatorAuthenticationResponse: toJSON(credential),
      }));
    } catch (error) {
      if (error.serverCode === "PASSKEY_ENROLLMENT_NOT_FOUND") await signalUnknown(options.rpId, credential.id);
      throw error;
    }
  }

  // A new account whose only way to sign in is a passkey.
  async signUp() {
    await this.#open(await this.send("v1/accounts:signUp", { returnSecureToken: true }));
    try {
      await this.#enroll();
    } catch (error) {
      await this.send("v1/accounts:delete", { idToken: this.idToken });
      this.signOut();
      throw error;
    }
  }

  // Creates a passkey for the account of the session.
  addPasskey() {
    return this.#withRecentSignIn(() => this.#enroll());
  }

  async #enroll() {
    const start = await this.send("v2/accounts/passkeyEnrollment:start", { idToken: this.idToken });
    const credential = await navigator.credentials.create({
      publicKey: creationOptions(start.credentialCreationOptions),
    });
    await this.#open(await this.send("v2/accounts/passkeyEnrollment:finalize", {
      idToken: this.idToken, authenticatorRegistrationResponse: toJSON(credential),
    }));
  }

  rename(passkey, name) {
    return this.#update({ renamePasskey: { credentialId: passkey.credentialId, name } });
  }

  remove(passkey) {
    return this.#withRecentSignIn(async () => {
      const reply = await this.#update({ deletePasskey: [passkey.credentialId] });
      // Without signals, it was the last one.
      if (!reply.signals) await signalUnknown(passkey.rpId, toBase64URL(passkey.credentialId));
    });
  }

  async #update(fields) {
    const reply = await this.send("v1/accounts:update", { idToken: this.idToken, returnSecureToken: true, ...fields });
    await this.#open(reply);
    return reply;
  }

  async lookUp() {
    const { users: [user] } = await this.send("v1/accounts:lookup", { idToken: this.idToken });
    return user;
  }

  // Repeats an action after a new sign-in if the session is too old for it.
  async #withRecentSignIn(action) {
    try {
      await action();
    } catch (error) {
      if (error.serverCode !== "CREDENTIAL_TOO_OLD_LOGIN_AGAIN") throw error;
      await this.signIn({ idToken: this.idToken });
      await action();
    }
  }
}
