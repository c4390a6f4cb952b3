// Rows from JSON, and from lines of text that a format takes apart: one for each flow of a record.
import { RecordProblem } from './choose-format.ts';
import type { Flow, Format, JsonFormat, LineFormat } from './formats/format.ts';
import { isObject } from './json-path.ts';
import { type JsonRecords, jsonRecords } from './json-records.ts';
import {
  blankRow,
  type Members,
  malformedRow,
  type Questions,
  type Row,
  type RowSource,
  rawOf,
  utf8Of,
} from './row.ts';

export class JsonRows implements RowSource {
  readonly #format: JsonFormat | LineFormat;
  readonly #questions: Questions;
  readonly #records: JsonRecords;

  /** `beginning` is some of the input, from its start. */
  constructor(format: Exclude<Format, { kind: 'text' }>, beginning: string, questions: Questions) {
    this.#format = format;
    this.#questions = questions;
    const wrapper = format.kind === 'json' ? format.wrapper : undefined;
    // Lines of text leave nothing open.
    this.#records = jsonRecords(format.kind === 'json' ? beginning : '', wrapper);
  }

  push(chunk: Uint8Array): Row[] {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    return this.#records.push(text).flatMap((record) => this.#rows(record));
  }

  end(): Row[] {
    return this.#records.end().flatMap((record) => this.#rows(record));
  }

  #rows(raw: string): Row[] {
    if (raw.trim() === '') return [blankRow('')];
    const { ends } = this.#format;
    const isLine = this.#format.kind === 'line';
    const members = this.#format.kind === 'line' ? this.#format.parse(utf8Of(raw)) : parsed(raw);
    const bad = (problem: string) => [malformedRow(raw, { fields: undefined, members }, problem, ends.length)];
    if (members === undefined) return bad(isLine ? `not a line of ${this.#format.name}` : 'not a JSON object');
    let flows: readonly Flow[] | undefined;
    try {
      flows = this.#format.flows(members);
    } catch (error) {
      if (error instanceof RecordProblem) return bad(rawOf(error.message));
      throw error;
    }
    if (flows === undefined) return bad(`not a record of ${this.#format.name}`);
    return flows.map((flow) => {
      const own = flow.members ?? members;
      const text = flow.members === undefined && !isLine ? raw : rawOf(JSON.stringify(own));
      return { raw: text, fields: undefined, members: own, asked: this.#questions.asked(flow), blank: false };
    });
  }
}

function parsed(raw: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(utf8Of(raw));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
