// Which lines of an audit log need not be parsed. Most are about leases, events and reads, and parsing them all would be
// most of the work. Looks at bytes as text of one character each, and knows nothing of where in a line a word stands.
//
// Invariant: a line that is skipped holds no event that becomes an action, whatever the order of its keys, its spaces
// and its escapes. A word of letters stands in JSON either as it is or with an escape of the form \u006x or \u007x;
// all other escapes give no letter.
import { TRACKED_RESOURCES } from './tracked-resources.ts';

const ESCAPED_LETTER = '\\\\u00[67]';
const TRACKED = new RegExp(`"(?:${TRACKED_RESOURCES.join('|')})"|${ESCAPED_LETTER}`, 'g');

/**
 * A verb that changes something, a connection, a panic, or an answer that is no success: a code whose first digit is
 * none of 1, 2 and 3, however the number is written. What has none of them is a read that was allowed.
 */
const HAPPENS = new RegExp(
  `"(?:create|update|patch|delete|deletecollection|exec|attach|portforward|proxy|Panic|Failure)"|"code"\\s*:\\s*[^123\\s]|${ESCAPED_LETTER}`,
  'g',
);

/** Goes through one text from its beginning to its end; lines are asked about in their order. */
export class LineFilter {
  readonly #text: string;
  #tracked = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the line from `start` up to `end` has to be parsed. */
  matters(start: number, end: number): boolean {
    if (this.#tracked < start) this.#tracked = find(TRACKED, this.#text, start);
    if (this.#tracked >= end) return false;
    return find(HAPPENS, this.#text.slice(start, end), 0) !== Number.POSITIVE_INFINITY;
  }
}

function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY;
}
