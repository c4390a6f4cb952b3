// Loaded before the demo's recorder (node --import): should the demo be killed without a chance to end it, the recorder
// ends by itself instead of asking a server that is gone for ever.
const parent = process.ppid;
const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, LOOK_MS).unref();
