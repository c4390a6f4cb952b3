// Rows from JSON lines. A column is a member of the object, or a path through nested ones (`source.ip`).
import type { WantedColumns } from './csv-header.ts';
import { BLANK_ROW, type Members, malformedRow, type Questions, type Row, type RowSource, utf8Of } from './row.ts';

export class JsonRows implements RowSource {
  readonly #wanted: WantedColumns;
  readonly #questions: Questions;
  #rest = '';

  constructor(wanted: WantedColumns, questions: Questions) {
    this.#wanted = wanted;
    this.#questions = questions;
  }

  push(chunk: Uint8Array): Row[] {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => this.#row(line));
  }

  end(): Row[] {
    const last = this.#rest;
    this.#rest = '';
    return last === '' ? [] : [this.#row(last)];
  }

  #row(line: string): Row {
    const raw = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (raw.trim() === '') return BLANK_ROW;
    const members = parseMembers(raw);
    const content = { fields: undefined, members };
    if (members === undefined) return malformedRow(raw, content, 'not a JSON object');
    const ip = memberOf(members, this.#wanted.ip);
    const time = memberOf(members, this.#wanted.time);
    if (typeof ip !== 'string') return malformedRow(raw, content, `${this.#wanted.ip} is not there, or not a text`);
    if (typeof time !== 'string' && typeof time !== 'number') {
      return malformedRow(raw, content, `${this.#wanted.time} is not there, or neither a text nor a number`);
    }
    return this.#questions.row(raw, content, ip, String(time));
  }
}

function parseMembers(raw: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(utf8Of(raw));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Own members only: `constructor` and `__proto__` are names like others. */
function memberOf(object: Members, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path];
  let value: unknown = object;
  for (const step of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
