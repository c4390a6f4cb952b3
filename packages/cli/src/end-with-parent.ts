// Loaded first (node --import) by processes that must not outlive the one that started them: the demo's recorder, and
// podtrail on the Node that podtrail.mjs chose. Killed outright, their parent has no chance to end them.
const parent = process.ppid;
const LOOK_MS = 500;

setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, LOOK_MS).unref();
