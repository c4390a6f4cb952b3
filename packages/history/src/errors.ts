// Every error that history throws on purpose: a code to branch on, a sentence to read, a hint to act on.

export class HistoryError extends Error {
  /** Stable, kebab-case. */
  readonly code: string;
  /** For who asks at a command line; for everybody where there is no other. */
  readonly hint: string | undefined;
  /** For who asks with parameters: over HTTP, or as an assistant. Undefined: `hint` is for them, too. */
  readonly parameterHint: string | undefined;

  constructor(
    code: string,
    message: string,
    context: { readonly hint?: string; readonly parameterHint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
    this.parameterHint = context.parameterHint;
  }
}
