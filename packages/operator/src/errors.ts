// Every error that operator throws on purpose: a code to branch on, a sentence to read, a hint to act on.

export class OperatorError extends Error {
  /** Stable, kebab-case. */
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, context: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
  }
}
