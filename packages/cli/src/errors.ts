// What goes wrong at the command line, and how any error is shown to a person: one sentence, one hint, one exit code.
// A stack trace is for those who ask for it (DEBUG=podtrail).
import { EXIT, type ExitCode } from './exit-codes.ts';
import { visible } from './output/visible.ts';

/** An error whose exit code is known where it is thrown. */
export class CliError extends Error {
  /** Stable, kebab-case. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(
    code: string,
    message: string,
    context: { readonly hint?: string | undefined; readonly cause?: unknown; readonly exitCode?: ExitCode } = {},
  ) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = context.hint;
    this.exitCode = context.exitCode ?? EXIT.error;
  }
}

/** The command line itself is wrong; nothing was done. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', message, { hint, exitCode: EXIT.usage });
  }
}

/** Ctrl+C before the work was done. */
export class InterruptedError extends CliError {
  constructor() {
    super('interrupted', 'interrupted', { exitCode: EXIT.interrupted });
  }
}

/** Said by whoever ran the command, in the words of the command: printed as it is. */
export class ElsewhereError extends CliError {
  readonly text: string;

  constructor(text: string, exitCode: ExitCode) {
    super('elsewhere', text, { exitCode });
    this.text = text;
  }
}

/** Of a store of which a part is damaged: what was asked for is unknown, and not only unsaid. */
const DAMAGES = ['damaged', 'week-missing'];

/** What was asked for cannot be meant: as wrong as a flag that does not exist. */
const USAGES = [
  ...['bad-address', 'bad-subject', 'bad-cursor', 'bad-span', 'span-too-long', 'bad-page', 'bad-selector'],
  ...['bad-store-url', 'no-such-engine'],
];

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (USAGES.includes(String(field(error, 'code')))) return EXIT.usage;
  if (field(error, 'code') === 'ambiguous') return EXIT.ambiguous;
  if (field(error, 'status') === 403) return EXIT.forbidden;
  if (DAMAGES.includes(String(field(error, 'code')))) return EXIT.unknown;
  return EXIT.error;
}

/** The lines for standard error, without a trailing newline. */
export function describeError(error: unknown, debug: boolean): string {
  const sentence = visible(sentenceOf(error));
  const hint = field(error, 'hint') ?? systemHint(error);
  const lines = [`podtrail: ${sentence}`];
  if (typeof hint === 'string' && hint !== '') lines.push(`hint: ${visible(hint)}`);
  if (!debug) return lines.join('\n');
  for (let e: unknown = error; e instanceof Error; e = e.cause)
    lines.push(...(e.stack ?? String(e)).split('\n').map(visible));
  return lines.join('\n');
}

const SYSTEM_SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read or written by this user',
  EPERM: 'may not be changed by this user',
  EISDIR: 'is a directory, not a file',
  ENOTDIR: 'leads through something that is not a directory',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'cannot be written: the disk is full',
  EEXIST: 'exists already',
  EMFILE: 'cannot be opened: too many files are open',
};

const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'check the path; one that does not begin with / starts in the directory in which podtrail runs.',
  EACCES: 'run podtrail as a user with that right, or change the rights of the file and of the directories above it.',
  EPERM: 'run podtrail as a user with that right.',
  EISDIR: 'name a file in it.',
  ENOTDIR: 'check the path: a part before its last / is a file.',
  EROFS: 'name a path on a file system that can be written.',
  ENOSPC: 'make room there, or name a path on another disk.',
  EEXIST: 'name a path that does not exist yet.',
  EMFILE: 'raise the limit of open files: ulimit -n.',
};

/** Of an error of the system that nobody has put into words. */
function systemHint(error: unknown): string | undefined {
  const isOfPath = typeof field(error, 'path') === 'string';
  return isOfPath ? SYSTEM_HINTS[String(field(error, 'code'))] : undefined;
}

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const system = SYSTEM_SENTENCES[String(field(error, 'code'))];
  const path = field(error, 'path');
  if (system !== undefined && typeof path === 'string') return `${path} ${system}`;
  // An error that nobody meant to show is a bug of ours, and says so.
  const meant = typeof field(error, 'code') === 'string';
  return meant ? error.message : `unexpected: ${error.message} (DEBUG=podtrail shows where)`;
}

function field(error: unknown, name: string): unknown {
  return error instanceof Error ? (error as unknown as Record<string, unknown>)[name] : undefined;
}
