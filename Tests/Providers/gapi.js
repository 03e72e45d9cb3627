// The part of Google's `gapi.iframes` that the JavaScript library and the frame use, as far as it is documented: named
// messages between a page and its frame, each with the list of its replies.
"use strict";
(() => {
  const iframes = new Map();  // By window.

  class Iframe {
    constructor(target) {
      this.target = target;
      this.handlers = {};
      this.unhandled = [];
      this.callbacks = new Map();
      iframes.set(target, this);
    }

    register(name, handler) {
      this.handlers[name] = handler;
      for (const message of this.unhandled.splice(0)) this.handle(message);
    }

    send(name, data, callback) {
      const id = Math.random().toString();
      if (callback) this.callbacks.set(id, callback);
      const post = () => this.target.postMessage({ gapi: true, id, name, data }, "*");
      post();
      if (name === "ping") this.pinging = setInterval(post, 50);
    }

    ping(callback) {
      return new Promise((resolve) => this.send("ping", null, () => {
        clearInterval(this.pinging);
        callback();
        resolve();
      }));
    }

    async restyle() {}

    handle(message) {
      const { id, name, data } = message;
      if (name === "reply") {
        const callback = this.callbacks.get(id);
        this.callbacks.delete(id);
        if (callback) callback(data);
      } else if (name === "ping") {
        this.target.postMessage({ gapi: true, id, name: "reply", data: [] }, "*");
      } else if (this.handlers[name]) {
        this.target.postMessage({ gapi: true, id, name: "reply", data: [this.handlers[name](data)] }, "*");
      } else {
        this.unhandled.push(message);
      }
    }
  }

  window.addEventListener("message", ({ source, data }) => {
    if (data && data.gapi && iframes.has(source)) iframes.get(source).handle(data);
  });

  const context = {
    open({ where, url }, opened) {
      const element = document.createElement("iframe");
      element.src = url;
      where.append(element);
      return opened(new Iframe(element.contentWindow));
    },
    getParentIframe: () => iframes.get(window.parent) || new Iframe(window.parent),
  };
  window.gapi = {
    load: (name, options) => setTimeout(options.callback || options),
    iframes: { getContext: () => context, CROSS_ORIGIN_IFRAMES_FILTER: {} },
  };
  const onload = new URL(document.currentScript.src).searchParams.get("onload");
  if (onload) window[onload]();
  else if (window.gapi_onload) window.gapi_onload();
})();
