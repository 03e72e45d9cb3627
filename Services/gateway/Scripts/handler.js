// Returns the result of a sign-in to the application. For every browser since 2017, without libraries. It builds no HTML, and sends
// messages to one exact origin only (security rule HT10).
"use strict";
(() => {
  const delivery = JSON.parse(document.getElementById("result").dataset.delivery);
  const { channel, event, message, redirectURL, storageKey } = delivery;
  const show = (id) => { document.getElementById(id).hidden = false; };
  const opener = window.opener;

  // The frame of the JavaScript library in the page of the application: it has the origin of this page.
  const findFrame = () => {
    for (let i = 0; opener && i < opener.length; i++) {
      try {
        const address = opener[i].location;
        const query = new URLSearchParams(address.search);
        if (address.pathname.endsWith("/auth/iframe")
          && `${query.get("apiKey")}:${query.get("appName")}` === storageKey) return opener[i];
      } catch (error) {
        // A frame of another origin.
      }
    }
    return null;
  };

  const closingMilliseconds = 30 * 1000;  // In case the library does not.

  const sendToFrame = () => {
    const frame = findFrame();
    if (!frame) return show("alarm");
    const digits = crypto.getRandomValues(new Uint32Array(2)).join("");
    window.addEventListener("message", ({ origin, source, data }) => {
      if (origin !== location.origin || source !== frame || !data || data.eventId !== digits) return;
      // The library closes this window when it has signed in; a closed one looks as if the user had given up.
      if (data.status === "done") setTimeout(() => window.close(), closingMilliseconds);
      else show("alarm");
    });
    frame.postMessage({ eventType: "sendAuthEvent", eventId: digits, data: { authEvent: event, storageKey } },
      location.origin);
  };

  const goBack = () => {
    let url = redirectURL;
    if (channel === "storage") {
      sessionStorage.setItem(`firebase:redirectEvent:${storageKey}`, JSON.stringify(event));
    } else {
      const result = message.credential ? { credential: JSON.stringify(message.credential) }
        : { error: message.error.code };
      url += `#${new URLSearchParams({ state: message.state, ...result })}`;
    }
    document.getElementById("back").href = url;
    show("back");
    if (delivery.returnsAtOnce) location.replace(url);
  };

  if (channel === "frame") {
    sendToFrame();
  } else if (channel === "opener") {
    if (opener) opener.postMessage(message, delivery.targetOrigin);
    else show("alarm");
  } else {
    goBack();
  }
})();
