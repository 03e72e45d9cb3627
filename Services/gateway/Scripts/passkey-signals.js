// Tells the password manager of the browser what the server knows about passkeys (Web Authentication Level 3, 5.1.10). A
// browser without the functions, and a password manager that refuses, change nothing.

const signal = async (name, details) => {
  const api = globalThis.PublicKeyCredential;
  try {
    if (api && api[name]) await api[name](details);
  } catch (error) {
    console.warn(name, error);
  }
};

// The passkeys and the names of one account.
export const signalAccount = async ({ rpId, userHandle, allAcceptedCredentialIds, name, displayName }) => {
  const user = { rpId, userId: userHandle };
  await signal("signalAllAcceptedCredentials", { ...user, allAcceptedCredentialIds });
  if (name) await signal("signalCurrentUserDetails", { ...user, name, displayName });
};

// A passkey that no account has.
export const signalUnknown = (rpId, credentialId) => signal("signalUnknownCredential", { rpId, credentialId });
