// The one error of the harness: a sentence for a person, and where useful what can be done about it.
// Command-line entries print it without a stack trace; tests show it as any other error.

export class ControlPlaneError extends Error {
  /** What a person can do about it, as one sentence. */
  readonly hint: string | undefined;

  constructor(message: string, context: { hint?: string; cause?: unknown } = {}) {
    super(
      context.hint === undefined ? message : `${message} ${context.hint}`,
      context.cause === undefined ? undefined : { cause: context.cause },
    );
    this.name = 'ControlPlaneError';
    this.hint = context.hint;
  }
}
