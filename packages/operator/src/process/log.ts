// The operator's log: one JSON object a line, a constant message and what differs as fields. Whatever is in a value, a
// newline included, stays inside its line, and nothing in it acts on a terminal. Writing never throws and is never
// waited for.
import { jsonLine } from '../json-line.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFields = Readonly<Record<string, unknown>>;

export interface LogOptions {
  readonly level: LogLevel;
  readonly now: () => number;
  readonly write: (line: string) => void;
}

export class Log {
  readonly #options: LogOptions;
  readonly #least: number;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#least = LOG_LEVELS.indexOf(options.level);
  }

  debug(message: string, fields?: LogFields): void {
    this.#say('debug', message, fields);
  }
  info(message: string, fields?: LogFields): void {
    this.#say('info', message, fields);
  }
  warn(message: string, fields?: LogFields): void {
    this.#say('warn', message, fields);
  }
  error(message: string, fields?: LogFields): void {
    this.#say('error', message, fields);
  }

  #say(level: LogLevel, msg: string, fields: LogFields = {}): void {
    if (LOG_LEVELS.indexOf(level) < this.#least) return;
    const time = new Date(this.#options.now()).toISOString();
    try {
      this.#options.write(jsonLine({ time, level, msg, ...fields }));
    } catch {
      // A log that cannot be written must not end what it reports.
    }
  }
}

/** A sentence about what went wrong, on one line. */
export function problemOf(error: unknown): string {
  const sentence = error instanceof Error ? error.message : String(error);
  return sentence.replaceAll(/\s+/g, ' ');
}
