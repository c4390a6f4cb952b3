// What a running recorder says of itself, on standard error: a status line that renews itself on a terminal, JSON lines
// anywhere else.

import type { Sink } from '../command-env.ts';
import { formatJsonLine } from '../output/json.ts';
import { visible } from '../output/visible.ts';

export type Level = 'info' | 'warn' | 'error';
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Reporter {
  /** Something happened. The message is constant; what differs is in the fields. */
  event(level: Level, message: string, fields?: LogFields): Promise<void>;
  /** How it stands now; replaces the status before it on a terminal. */
  status(text: string, fields: LogFields): Promise<void>;
}

export function reporterOn(sink: Sink, now: () => number): Reporter {
  return sink.isTTY ? new TerminalReporter(sink) : new LogReporter(sink, now);
}

const CLEAR_LINE = '\r\u001b[2K';

class TerminalReporter implements Reporter {
  readonly #sink: Sink;
  #status = '';

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  async event(level: Level, message: string, fields: LogFields = {}): Promise<void> {
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    const details = given.map(([key, value]) => `${key}=${visible(String(value))}`).join(' ');
    const prefix = level === 'info' ? '' : `${level}: `;
    const clear = this.#status === '' ? '' : CLEAR_LINE;
    await this.#sink.write(`${clear}${prefix}${message}${details === '' ? '' : ` (${details})`}\n${this.#status}`);
  }

  async status(text: string): Promise<void> {
    this.#status = visible(text);
    await this.#sink.write(`${CLEAR_LINE}${this.#status}`);
  }
}

class LogReporter implements Reporter {
  readonly #sink: Sink;
  readonly #now: () => number;

  constructor(sink: Sink, now: () => number) {
    this.#sink = sink;
    this.#now = now;
  }

  async event(level: Level, message: string, fields: LogFields = {}): Promise<void> {
    const time = new Date(this.#now()).toISOString();
    await this.#sink.write(formatJsonLine({ time, level, msg: message, ...fields }));
  }

  async status(_text: string, fields: LogFields): Promise<void> {
    await this.event('info', 'status', fields);
  }
}
