// Relays events between the sign-in page and the page of the application. The channel to that page is Google's
// `gapi.iframes`, because the JavaScript library uses it. Without libraries of its own; it builds no HTML, and sends
// messages to one exact origin only (security rule HT10).
"use strict";
(() => {
  const query = new URLSearchParams(location.search);
  const storageKey = `${query.get("apiKey")}:${query.get("appName")}`;
  const storedName = `firebase:redirectEvent:${storageKey}`;
  let parent;
  const waiting = [];

  const send = (authEvent, done) => {
    if (!parent) return waiting.push([authEvent, done]);
    parent.send("authEvent", { type: "authEvent", authEvent }, (replies) => {
      const last = replies && replies[replies.length - 1];
      done(Boolean(last) && last.status === "ACK");
    }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
  };

  window.addEventListener("message", ({ origin, source, data }) => {
    if (origin !== location.origin || !data || data.eventType !== "sendAuthEvent" || !data.data
      || data.data.storageKey !== storageKey) return;
    send(data.data.authEvent, (isAccepted) => {
      const status = isAccepted ? "done" : "failed";
      source.postMessage({ eventType: "sendAuthEvent", eventId: data.eventId, status }, location.origin);
    });
  });

  const takeStoredEvent = () => {
    try {
      const stored = sessionStorage.getItem(storedName);
      sessionStorage.removeItem(storedName);
      return stored && JSON.parse(stored);
    } catch (error) {
      return null;  // The browser gives this frame no storage.
    }
  };

  const connect = () => {
    parent = gapi.iframes.getContext().getParentIframe();
    parent.register("webStorageSupport", () => ({ status: "ACK", webStorageSupport: true }),
      gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
    send(takeStoredEvent() || { type: "unknown", error: { code: "auth/no-auth-event" } }, () => {});
    for (const [authEvent, done] of waiting.splice(0)) send(authEvent, done);
  };

  window.gapi_onload = () => gapi.load("gapi.iframes", { callback: connect });
})();
