// Whether an answer leaves something open that the ledger of another replica may know.

/** What the asker itself is the reason for: peers know no more. */
const NOT_FOR_PEERS: readonly string[] = ['in-the-future', 'not-visible'];

/** It is unknown, or there are times within what was asked in which nobody watched, or nothing was ever watched. */
export function leavesOpen(document: unknown): boolean {
  const { answer, reason, coverage } = document as {
    readonly answer?: string;
    readonly reason?: string;
    readonly coverage?: { readonly from?: string | null; readonly gaps?: readonly { readonly reason: string }[] };
  };
  if (answer === 'unknown') return !NOT_FOR_PEERS.includes(reason ?? '');
  if (answer === undefined && coverage?.from === null) return true;
  return (coverage?.gaps ?? []).some((gap) => !NOT_FOR_PEERS.includes(gap.reason));
}
