// What a server sends instead of a document: a problem as RFC 9457 has it, with a code to branch on and a hint to act on.
// Thrown by whatever refuses a request; the server turns it into the answer.

export interface ProblemDocument {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  /** One sentence about this request. */
  readonly detail: string;
  /** Stable, kebab-case. */
  readonly code: string;
  readonly hint?: string;
  readonly requestId?: string;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  /** Besides those of every problem: WWW-Authenticate, Retry-After, Allow. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    context: {
      readonly hint?: string | undefined;
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.hint = context.hint;
    this.headers = context.headers ?? {};
  }
}
