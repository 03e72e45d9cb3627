// The app-verification page, for every browser since 2017, without libraries.
//
// It works in slices, so that the page stays responsive: a worker would need its own script URL, and `crypto.subtle`
// returns each hash through the event loop, which is many times slower than this implementation. Challenge, colon and
// number fit into one block of SHA-256 (FIPS 180-4), the only size that this hash supports.
"use strict";
(() => {
  const check = document.getElementById("check");
  const show = (state) => {
    for (const part of document.querySelectorAll("[data-state]")) part.hidden = part.dataset.state !== state;
  };

  // The reply contains the URL of the app, also after a failed verification.
  const finish = async (proof) => {
    // A page of the gateway itself goes on with a form.
    const form = document.getElementById("proof");
    if (form) {
      for (const name of Object.keys(proof)) form.elements[name].value = proof[name];
      form.submit();
      return;
    }
    try {
      const reply = await fetch("/__/auth/challenge", {
        method: "POST", credentials: "omit", headers: { "Content-Type": "application/json" },
        body: JSON.stringify(Object.assign(JSON.parse(check.dataset.request), proof)),
      });
      const { url } = await reply.json();
      if (!url) throw new Error("the reply has no URL");
      document.getElementById("back").href = url;
      show("done");
      location.replace(url);
    } catch (error) {
      show("failed");
    }
  };
  window.appChecked = (token) => finish({ recaptchaToken: token });

  const challenge = check.dataset.challenge;
  if (!challenge) return;

  const K = new Int32Array([
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
  ]);
  const W = new Int32Array(64);
  const block = new Uint8Array(64);
  const prefix = challenge + ":";
  for (let i = 0; i < prefix.length; i++) block[i] = prefix.charCodeAt(i);

  // The number of leading zero bits in the hash of the prefix and a number. It reads the first word only.
  const zeroBits = (number) => {
    const digits = String(number);
    let length = prefix.length;
    for (let i = 0; i < digits.length; i++) block[length++] = digits.charCodeAt(i);
    block.fill(0, length, 64);
    block[length] = 0x80;
    block[62] = (length * 8) >>> 8;
    block[63] = (length * 8) & 255;
    for (let i = 0; i < 16; i++) {
      W[i] = (block[4 * i] << 24) | (block[4 * i + 1] << 16) | (block[4 * i + 2] << 8) | block[4 * i + 3];
    }
    for (let i = 16; i < 64; i++) {
      const x = W[i - 15], y = W[i - 2];
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      W[i] = (W[i - 16] + s0 + W[i - 7] + s1) | 0;
    }
    let a = 0x6a09e667, b = 0xbb67ae85 | 0, c = 0x3c6ef372, d = 0xa54ff53a | 0;
    let e = 0x510e527f, f = 0x9b05688c | 0, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + K[i] + W[i]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
    }
    return Math.clz32((a + 0x6a09e667) | 0);
  };

  const bits = Number(check.dataset.bits);
  const progress = document.getElementById("progress");
  let number = 0;
  const work = () => {
    const until = Date.now() + 40;
    do {
      for (let i = 0; i < 500; i++, number++) {
        if (zeroBits(number) >= bits) return finish({ challenge, answer: String(number) });
      }
    } while (Date.now() < until);
    progress.value = 1 - Math.exp(-number / 2 ** bits);
    setTimeout(work, 0);
  };
  work();
})();
