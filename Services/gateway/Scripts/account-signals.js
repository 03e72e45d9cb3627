// Keeps the password manager up to date with the passkeys that the account page shows.

import { signalAccount } from "./passkey-signals.js";

const { signals } = document.getElementById("passkeySignals").dataset;
await signalAccount(JSON.parse(signals));
