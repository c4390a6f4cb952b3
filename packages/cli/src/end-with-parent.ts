// Loaded first (node --import) by processes that must not outlive the one that started them: the demo's recorder, and
// podtrail on the Node that podtrail.mjs chose. Killed outright, their parent has no chance to end them. The parent says
// who it is (`?parent=PID` behind this URL): one that was killed before this is loaded is not taken for whoever adopted
// its child.
const parent = Number(new URL(import.meta.url).searchParams.get('parent'));
const LOOK_MS = 500;

endWithoutParent();
setInterval(endWithoutParent, LOOK_MS).unref();

function endWithoutParent(): void {
  if (process.ppid !== parent) process.exit(1);
}
