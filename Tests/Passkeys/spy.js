// Runs before the script of each page, and records what that script does.
"use strict";
const spied = { signals: [], ceremonies: [], requests: [] };
const spy = (() => {
  if (!window.PublicKeyCredential) return {};
  const { parseCreationOptionsFromJSON, parseRequestOptionsFromJSON } = PublicKeyCredential;
  const { toJSON } = PublicKeyCredential.prototype;
  const { create, get } = CredentialsContainer.prototype;

  for (const name of ["signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails"]) {
    const original = PublicKeyCredential[name].bind(PublicKeyCredential);
    PublicKeyCredential[name] = (details) => {
      spied.signals.push([name, details]);
      return original(details);
    };
  }

  const recorded = (kind, ceremony) => async function (options) {
    const record = { kind, mediation: options.mediation || null, state: "pending" };
    spied.ceremonies.push(record);
    try {
      const credential = await ceremony.call(this, options);
      record.state = "done";
      return credential;
    } catch (error) {
      record.state = error.name;
      throw error;
    }
  };
  CredentialsContainer.prototype.create = recorded("create", create);
  CredentialsContainer.prototype.get = recorded("get", get);

  const originalFetch = window.fetch;
  window.fetch = async (url, options) => {
    const response = await originalFetch(url, options);
    spied.requests.push({
      url: String(url), status: response.status, body: JSON.parse(options.body), reply: await response.clone().json(),
    });
    return response;
  };

  return {
    // A browser before Level 3.
    removeLevel3() {
      delete PublicKeyCredential.parseCreationOptionsFromJSON;
      delete PublicKeyCredential.parseRequestOptionsFromJSON;
      delete PublicKeyCredential.prototype.toJSON;
    },

    // The response to options as the REST protocol writes them.
    async run(kind, options, done) {
      const text = JSON.stringify(options, (name, value) => ["challenge", "id"].includes(name) && value !== options.rpId
        && !(name === "id" && options.rp && value === options.rp.id)
        ? value.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "") : value);
      try {
        const json = JSON.parse(text);
        const credential = kind === "create"
          ? await create.call(navigator.credentials, {
            publicKey: parseCreationOptionsFromJSON.call(PublicKeyCredential, json) })
          : await get.call(navigator.credentials, {
            publicKey: parseRequestOptionsFromJSON.call(PublicKeyCredential, json) });
        done({ response: toJSON.call(credential) });
      } catch (error) {
        done({ error: String(error) });
      }
    },
  };
})();
