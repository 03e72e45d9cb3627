// The ceremonies of passkeys on the pages of an application, for `latchkey.js`. `call` sends a request to a method of
// `v2/accounts`.

import { creationOptions, requestOptions, toJSON } from "./passkey-encoding.js";

/** @returns {Promise<object>} the reply of the server. */
export async function signIn(call, { mediation = "optional", signal, tenantId }) {
  const { credentialRequestOptions } = await call("passkeySignIn:start", { tenantId });
  const publicKey = requestOptions(credentialRequestOptions);
  const credential = toJSON(await navigator.credentials.get({ publicKey, mediation, signal }));
  try {
    return told(await call("passkeySignIn:finalize", { tenantId, authenticatorAuthenticationResponse: credential }));
  } catch (error) {
    if (error.code === "PASSKEY_ENROLLMENT_NOT_FOUND") {
      tell("UnknownCredential", { rpId: credentialRequestOptions.rpId, credentialId: credential.id });
    }
    throw error;
  }
}

/** @returns {Promise<object>} the reply of the server. */
export async function add(call, idToken, { name }) {
  const { credentialCreationOptions } = await call("passkeyEnrollment:start", { idToken });
  const credential = await navigator.credentials.create({ publicKey: creationOptions(credentialCreationOptions) });
  return told(await call("passkeyEnrollment:finalize", {
    idToken, name, authenticatorRegistrationResponse: toJSON(credential),
  }));
}

// The password manager of the browser hears what the server knows now.
function told(reply) {
  if (reply.signals) {
    const { userHandle: userId, rpId, allAcceptedCredentialIds, name, displayName } = reply.signals;
    tell("AllAcceptedCredentials", { rpId, userId, allAcceptedCredentialIds });
    if (name) tell("CurrentUserDetails", { rpId, userId, name, displayName });
  }
  return reply;
}

// A browser without the function, and a password manager that refuses, change nothing.
function tell(signal, argument) {
  globalThis.PublicKeyCredential?.[`signal${signal}`]?.(argument).catch(() => {});
}
