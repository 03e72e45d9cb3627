// The bytes of Web Authentication as JSON: padded base64 from Latchkey, base64url to it. It uses the functions of Level 3
// where the browser has them.

export const toBase64URL = (text) => text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
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

// What `navigator.credentials.create` takes.
export const creationOptions = (options) => {
  const api = globalThis.PublicKeyCredential;
  return api.parseCreationOptionsFromJSON
    ? api.parseCreationOptionsFromJSON(convert(options, toBase64URL)) : convert(options, toBytes);
};

// What `navigator.credentials.get` takes.
export const requestOptions = (options) => {
  const api = globalThis.PublicKeyCredential;
  return api.parseRequestOptionsFromJSON
    ? api.parseRequestOptionsFromJSON(convert(options, toBase64URL)) : convert(options, toBytes);
};

// A credential as the requests of Latchkey contain it.
export const toJSON = (credential) => {
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
