// Where the sandbox answers otherwise than the real server, knowingly. Mirrored in packages/sandbox/DIFFERENCES.md; a
// difference that is gone is a failure, so that this list never claims more than there is.
export interface AcceptedDifference {
  /** The name of the case. */
  readonly case: string;
  readonly reason: string;
}

export const ACCEPTED_DIFFERENCES: readonly AcceptedDifference[] = [];
