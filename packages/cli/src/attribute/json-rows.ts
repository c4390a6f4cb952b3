// Rows from JSON, and from lines of text that a format takes apart: one for each flow of a record.
import { RecordProblem, withoutMark } from './choose-format.ts';
import type { Flow, Format, JsonFormat, LineFormat } from './formats/format.ts';
import { isObject } from './json-path.ts';
import { type JsonRecords, jsonRecords } from './json-records.ts';
import { type LogLimits, recordTooLong } from './log-limits.ts';
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

/** What is nested deeper cannot be written again: that takes a part of the stack for each level. */
const DEEPEST = 1_000;
/** What is shorter has no room to be much deeper than that: each level opens and closes; nor for many members. */
const LEAST_SCANNED = 4 * DEEPEST;
/** Of the longest record: what its flows may take, each as a row of its own. */
const MOST_FLOWS = 8;

export class JsonRows implements RowSource {
  readonly #format: JsonFormat | LineFormat;
  readonly #questions: Questions;
  readonly #records: JsonRecords;
  readonly #limits: LogLimits;
  #isBegun = false;

  /** `beginning` is some of the input, from its start. */
  constructor(format: Exclude<Format, { kind: 'text' }>, beginning: string, questions: Questions, limits: LogLimits) {
    this.#format = format;
    this.#limits = limits;
    this.#questions = questions;
    const wrapper = format.kind === 'json' ? format.wrapper : undefined;
    // Lines of text leave nothing open.
    this.#records = jsonRecords(format.kind === 'json' ? withoutMark(beginning) : '', wrapper, limits);
  }

  push(chunk: Uint8Array): Row[] {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1');
    const records = this.#records.push(this.#isBegun ? text : withoutMark(text));
    this.#isBegun = true;
    return records.flatMap((record) => this.#rows(record));
  }

  end(): Row[] {
    return this.#records.end().flatMap((record) => this.#rows(record));
  }

  #rows(raw: string): Row[] {
    if (raw.trim() === '') return [blankRow('')];
    const { ends } = this.#format;
    const isLine = this.#format.kind === 'line';
    const tooMuch = isLine || raw.length <= LEAST_SCANNED ? undefined : tooMuchOf(raw, this.#limits);
    const members =
      this.#format.kind === 'line' ? this.#format.parse(utf8Of(raw)) : tooMuch === undefined ? parsed(raw) : undefined;
    const bad = (problem: string) => [malformedRow(raw, { fields: undefined, members }, problem, ends.length)];
    if (tooMuch !== undefined) return bad(tooMuch);
    if (members === undefined) return bad(isLine ? `not a line of ${this.#format.name}` : 'not a JSON object');
    let flows: readonly Flow[] | undefined;
    try {
      flows = this.#format.flows(members);
    } catch (error) {
      if (error instanceof RecordProblem) return bad(rawOf(error.message));
      throw error;
    }
    if (flows === undefined) return bad(`not a record of ${this.#format.name}`);
    let length = 0;
    return flows.map((flow) => {
      const own = flow.members ?? members;
      if (flow.members !== undefined) length += lengthOf(flow.members);
      // What a record says of all its flows is written again with each.
      if (length > MOST_FLOWS * this.#limits.longestRecord) throw recordTooLong(this.#limits);
      const text = flow.members === undefined && !isLine ? raw : rawOf(JSON.stringify(own));
      return { raw: text, fields: undefined, members: own, asked: this.#questions.asked(flow), blank: false };
    });
  }
}

/** About as long as it is when written. */
function lengthOf(members: Members): number {
  let length = 0;
  for (const name in members) length += name.length + String(members[name]).length;
  return length;
}

function parsed(raw: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(utf8Of(raw));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What of it is more than can be taken apart, before anything of it is; undefined where nothing is. */
function tooMuchOf(raw: string, { mostMembers, mostValues }: LogLimits): string | undefined {
  let depth = 0;
  let members = 0;
  let values = 0;
  let isInString = false;
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    if (isInString) {
      // A backslash takes what is behind it along.
      if (code === 92) i++;
      else if (code === 34) isInString = false;
    } else if (code === 34) isInString = true;
    else if (code === 123 || code === 91) {
      if (++depth > DEEPEST) return `nested more than ${DEEPEST} times`;
    } else if (code === 125 || code === 93) depth--;
    else if (code === 58 && ++members > mostMembers) return `a record of more than ${mostMembers} members`;
    else if (code === 44 && ++values > mostValues) return `a record of more than ${mostValues} values`;
  }
  return undefined;
}
