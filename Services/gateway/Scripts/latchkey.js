// Signs users of a web application in on the pages of Latchkey: the authorization code grant with PKCE (RFC 6749, RFC 7636).
// Pages of the application load it. Passkeys and recovery codes need no other page.

/**
 * @typedef {object} Tokens
 * @property {string} idToken - For requests to the application's server.
 * @property {string} refreshToken
 * @property {number} expiresIn - Seconds until the ID token expires.
 * @property {string} userId
 */

/**
 * @typedef {object} SignInOptions
 * @property {string} [loginHint] - The e-mail address with which the page begins.
 * @property {"login" | "select_account" | "none"} [prompt] - `none`: without a page, or with the error `login_required`.
 * @property {number} [maxAge] - How old the sign-in may be, in seconds.
 * @property {string} [acrValues] - How surely the user must have signed in, such as `urn:latchkey:2fa`.
 * @property {string} [tenantId]
 * @property {string} [language] - Of the pages.
 */

/** Why an act has failed. `code` is an error of OAuth 2.0, OpenID Connect or the REST protocol, or `invalid_response`. */
export class LatchkeyError extends Error {
  /**
   * @param {string} code
   * @param {string} [description]
   */
  constructor(code, description) {
    super(description ?? code);
    this.name = "LatchkeyError";
    this.code = code;
  }
}

/** A registered application, in the browser. */
export class Latchkey {
  #apiKey;
  #clientId;
  #redirectUri;
  #server;

  /**
   * @param {object} options
   * @param {string} options.clientId - As `latchkey apps add` has printed it.
   * @param {string} [options.redirectUri] - A registered address; the page without its query otherwise.
   * @param {string} [options.server] - The origin of Latchkey; that of this script otherwise.
   * @param {string} [options.apiKey] - Of the project, for passkeys and recovery codes; `latchkey apps add` has printed it.
   */
  constructor({ clientId, redirectUri, server, apiKey }) {
    this.#apiKey = apiKey;
    this.#clientId = clientId;
    this.#redirectUri = redirectUri ?? location.origin + location.pathname;
    this.#server = new URL(server ?? import.meta.url).origin;
  }

  /**
   * Leaves the page for the sign-in. The user returns to the redirect address.
   * @param {SignInOptions} [options]
   * @returns {Promise<void>}
   */
  async signIn({ loginHint, prompt, maxAge, acrValues, tenantId, language } = {}) {
    const [state, verifier, nonce] = [random(16), random(32), random(16)];
    const query = {
      response_type: "code", client_id: this.#clientId, redirect_uri: this.#redirectUri, state, nonce,
      code_challenge: base64url(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))),
      code_challenge_method: "S256", login_hint: loginHint, prompt, max_age: maxAge, acr_values: acrValues, tenantId,
      hl: language,
    };
    const address = new URL("/__/auth/authorize", this.#server);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) address.searchParams.set(name, value);
    }
    // Only this tab knows it: a response that another site sends here is refused.
    sessionStorage.setItem(this.#key(state), JSON.stringify({ verifier, nonce, redirectUri: this.#redirectUri }));
    location.assign(address.href);
  }

  /**
   * Completes the sign-in, on the page of the redirect address.
   * @overload
   * @returns {Promise<Tokens | null>} `null`: the page was opened without a response.
   */
  /**
   * Completes the sign-in with a library that takes custom tokens, such as Firebase's:
   * `handleRedirect((token) => signInWithCustomToken(auth, token))`.
   * @template Result
   * @overload
   * @param {(customToken: string) => Promise<Result>} signInWithCustomToken
   * @returns {Promise<Result | null>} `null`: the page was opened without a response.
   */
  async handleRedirect(signInWithCustomToken) {
    const { searchParams } = new URL(location.href);
    const [code, error, state] = ["code", "error", "state"].map((name) => searchParams.get(name));
    if (!state || !(code || error)) return null;
    hideResponse();
    const stored = sessionStorage.getItem(this.#key(state));
    sessionStorage.removeItem(this.#key(state));
    if (!stored) throw new LatchkeyError("invalid_response", "This tab has not started the sign-in.");
    if (error) throw new LatchkeyError(error);
    const { verifier, nonce, redirectUri } = JSON.parse(stored);
    const grant = { client_id: this.#clientId, code, redirect_uri: redirectUri, code_verifier: verifier };
    if (signInWithCustomToken) {
      const json = new TextEncoder().encode(JSON.stringify(grant));
      return signInWithCustomToken(`latchkey-code.${base64url(json)}`);
    }
    const tokens = await this.#redeem(grant);
    const claims = decoded(tokens.idToken);
    if (claims.nonce !== nonce || claims.iss !== searchParams.get("iss")) {
      throw new LatchkeyError("invalid_response", "The tokens belong to another sign-in.");
    }
    return tokens;
  }

  /**
   * Signs in with a passkey, without leaving the page. The origin of the page is one of the project's `passkeyConfig`.
   * @param {{ mediation?: "conditional" | "optional", signal?: AbortSignal, tenantId?: string }} [options] - `conditional`:
   *   in a field with `autocomplete="username webauthn"`.
   * @returns {Promise<Tokens>} Fails with `MFA_REQUIRED` where the account demands more: `signIn()` asks for it.
   */
  async signInWithPasskey(options = {}) {
    const { signIn } = await import("./latchkey-passkeys.js");
    return signedIn(await signIn(this.#call, options));
  }

  /**
   * Adds a passkey to the account of a session.
   * @param {string} idToken - Of a sign-in of the last minutes, see `maxAge` of `signIn`.
   * @param {{ name?: string }} [options]
   * @returns {Promise<Tokens>}
   */
  async addPasskey(idToken, options = {}) {
    const { add } = await import("./latchkey-passkeys.js");
    return signedIn(await add(this.#call, idToken, options));
  }

  /**
   * New recovery codes; the former ones end.
   * @param {string} idToken - Of a session with a second factor.
   * @returns {Promise<string[]>} They are in no later reply.
   */
  async generateRecoveryCodes(idToken) { return (await this.#call("recoveryCodes:generate", { idToken })).recoveryCodes; }

  /** Sends a request to a method of `v2/accounts`. */
  #call = async (method, body) => {
    const url = new URL(`/identitytoolkit.googleapis.com/v2/accounts/${method}`, this.#server);
    url.searchParams.set("key", this.#apiKey);
    const response = await fetch(url, {
      method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
    });
    const reply = await response.json().catch(() => ({}));
    const message = reply.error?.message ?? "UNAVAILABLE";
    if (!response.ok) throw new LatchkeyError(message.split(" ")[0], message);
    return reply;
  };

  /** @param {object} grant */
  async #redeem(grant) {
    const response = await fetch(new URL("/__/auth/token", this.#server), {
      method: "POST", credentials: "omit", referrerPolicy: "no-referrer",
      body: new URLSearchParams({ grant_type: "authorization_code", ...grant }),
    });
    const reply = await response.json().catch(() => ({}));
    if (!reply.id_token) throw new LatchkeyError(reply.error ?? "temporarily_unavailable", reply.error_description);
    return {
      idToken: reply.id_token, refreshToken: reply.refresh_token, expiresIn: reply.expires_in, userId: reply.user_id,
    };
  }

  /** @param {string} state */
  #key(state) { return `latchkey:${this.#clientId}:${state}`; }
}

/** @returns {Tokens} */
function signedIn({ idToken, refreshToken, expiresIn, localId, mfaPendingCredential }) {
  if (mfaPendingCredential) throw new LatchkeyError("MFA_REQUIRED");
  return { idToken, refreshToken, expiresIn: Number(expiresIn), userId: localId };
}

/** Without the response in the address, it is in no history, and in no `Referer`. */
function hideResponse() {
  const address = new URL(location.href);
  for (const name of ["code", "error", "state", "iss"]) address.searchParams.delete(name);
  history.replaceState(history.state, "", address.href);
}

/** @param {number} count - of bytes. */
function random(count) { return base64url(crypto.getRandomValues(new Uint8Array(count))); }

/** @param {ArrayBuffer | Uint8Array} data */
function base64url(data) {
  return btoa(String.fromCharCode(...new Uint8Array(data)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The claims of an ID token that comes from the server itself. */
function decoded(token) {
  const text = atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/"));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (character) => character.charCodeAt(0))));
}
