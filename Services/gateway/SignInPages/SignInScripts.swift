// The scripts of the sign-in pages: for every browser since 2017, without libraries. They build no HTML, and send
// messages to one exact origin only (security rule HT10).

extension SignInView {
    /// Returns the result to the application.
    static let script = #"""
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
        """#

    /// Sends the fragment of the address, which only the browser sees, as a form.
    static let fragmentScript = #"""
        "use strict";
        (() => {
          const response = new URLSearchParams(location.hash.slice(1));
          history.replaceState(null, "", location.pathname);
          if (!response.get("state")) {
            document.getElementById("alarm").hidden = false;
            return;
          }
          const form = document.getElementById("response");
          response.forEach((value, name) => {
            const field = document.createElement("input");
            field.type = "hidden";
            field.name = name;
            field.value = value;
            form.append(field);
          });
          HTMLFormElement.prototype.submit.call(form);
        })();
        """#
}

extension SignInFrame {
    /// Relays events between the sign-in page and the page of the application. The channel to that page is Google's
    /// `gapi.iframes`, because the JavaScript library uses it.
    static let script = #"""
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
        """#
}
