// The part of the JavaScript library that talks to the pages: it opens the frame, waits for the event of a sign-in, and
// signs in with it. `test.…` is called by the tests.
"use strict";
const test = (() => {
  const { gateway, key, tenant } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const appName = "[DEFAULT]";
  const events = [];
  const messages = [];
  let popup;

  const openFrame = () => new Promise((resolve, reject) => {
    window.gapiLoaded = () => gapi.load("gapi.iframes", {
      callback: () => gapi.iframes.getContext().open({
        where: document.body,
        url: `${gateway}/emulator/auth/iframe?${new URLSearchParams({ apiKey: key, appName, v: "12.0.0", eid: "p" })}`,
        messageHandlersFilter: gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER,
        attributes: { style: { position: "absolute", top: "-100px" }, "aria-hidden": "true" }, dontclear: true,
      }, async (frame) => {
        await frame.restyle({ setHideOnLeave: false });
        await frame.ping(() => {});
        frame.register("authEvent", ({ authEvent }) => {
          events.push(authEvent);
          return { status: "ACK" };
        }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        frame.send("webStorageSupport", { type: "webStorageSupport" }, ([reply]) => resolve(reply.webStorageSupport),
          gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
      }),
    });
    const element = document.createElement("script");
    element.src = "https://apis.google.com/js/api.js?onload=gapiLoaded";
    element.onerror = reject;
    document.head.append(element);
  });

  const handlerURL = (fields) => `${gateway}/emulator/auth/handler?${new URLSearchParams({
    apiKey: key, appName, v: "12.0.0", redirectUrl: location.href, ...(tenant ? { tid: tenant } : {}), ...fields })}`;
  const signInURL = (fields) => `${gateway}/__/auth/signin?${new URLSearchParams({
    apiKey: key, redirectUrl: location.href.split("#")[0], ...fields })}`;

  window.addEventListener("message", ({ origin, data }) => {
    if (data && data.type === "latchkey:credential") messages.push({ origin, ...data });
  });

  const post = async (operation, fields) => {
    const response = await fetch(`${gateway}/identitytoolkit.googleapis.com/${operation}?key=${key}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) });
    return response.json();
  };

  return {
    events, messages, openFrame,
    redirect(fields) {
      location.href = handlerURL(fields);
    },
    redirectForCredential(fields) {
      location.href = signInURL(fields);
    },
    // A browser opens windows only for a click.
    preparePopup(fields, isForCredential) {
      document.getElementById("open").onclick = () => {
        popup = window.open(isForCredential ? signInURL(fields) : handlerURL(fields), "popup", "width=500,height=600");
      };
    },
    isPopupClosed: () => popup.closed,
    closePopup: () => popup.close(),
    // As `signInWithPopup` and `getRedirectResult` do.
    signIn: ({ urlResponse, sessionId, postBody, tenantId }, idToken) => post("v1/accounts:signInWithIdp", {
      requestUri: urlResponse, sessionId, postBody: postBody || undefined, tenantId: tenantId || undefined, idToken,
      returnSecureToken: true, returnIdpCredential: true }),
    // As `signInWithCredential(OAuthCredential.fromJSON(json))` does.
    signInWithCredential: ({ pendingToken }) => post("v1/accounts:signInWithIdp", {
      requestUri: "http://localhost", returnSecureToken: true, pendingToken, postBody: null, tenantId: tenant }),
  };
})();
