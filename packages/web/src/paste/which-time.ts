// Of the times of a text the one that is meant: when the line was written, or the flow began. Where nothing says which,
// none: the reader chooses. Pure.
import type { FoundAddress } from './addresses.ts';
import type { FoundTime } from './times.ts';

/** By how much times may differ and be of one event. */
const FAR_MS = 15 * 60_000;
/** Each of them is the zone of several countries, hours apart. */
const UNCLEAR_ZONE = /^\s?(?:CST|IST|BST|AST)\b/;
/** Also behind the priority and the version of syslog. */
const LINE_START = /(?:^|\n)\W*(?:\d+>\d? ?)?$/;
/** What is plainly a time or a date, in a form that is not read. */
const LIKE_A_TIME =
  /(?<![\w.:/-])(?:\d{1,2}:[0-5]\d(?::\d\d)?(?![\w:])|20\d\d([-/]?)[01]\d\1[0-3]\d|\d{1,2}\/\d{1,2}\/\d\d|\d\.\d+e\+?\d)|\d [ap]m\b|yesterday|\bago\b/i;

export interface WhichTime {
  /** To choose from. */
  readonly times: readonly FoundTime[];
  readonly at: number | undefined;
  /** There is a time, and which it is only the reader can say: it is not taken for now. */
  readonly isUnclear: boolean;
}

export function whichTime(text: string, found: readonly FoundTime[], address: FoundAddress | undefined): WhichTime {
  const all = found.map((time) => ({ ...time, rank: rankOf(text, time, address) }));
  // A pod that started hours before the line was written.
  for (const time of all)
    if (time.says === 'start' && all.some((other) => other.rank < 3 && other.says !== 'start' && areFar(time, other)))
      time.rank = 4;
  const [best] = all.toSorted((a, b) => a.rank - b.rank);
  if (best === undefined) return { times: all, at: undefined, isUnclear: LIKE_A_TIME.test(text) };
  const { rank, index, hasDate } = best;
  const isUnclear =
    rank > 4 ||
    UNCLEAR_ZONE.test(text.slice(index + best.text.length)) ||
    (!hasDate && LIKE_A_TIME.test(text.replace(best.text, ''))) ||
    // Beside the address and at the beginning of the line; written, and a number.
    all.some((other) => (other.rank === rank || (other.rank === rank + 1 && rank % 2 === 0)) && areFar(other, best));
  const times = all.filter((time) => rank > 4 || time.rank < 5);
  return { times, at: isUnclear ? undefined : best.at, isUnclear };
}

/** 0: beside the address. 1: at the beginning of the line. 2 to 5: as they were found. */
function rankOf(text: string, time: FoundTime, address: FoundAddress | undefined): number {
  const { rank, index } = time;
  if (rank < 4 && address !== undefined && areBeside(text, time, address)) return 0;
  return rank < 3 && time.key === '' && LINE_START.test(text.slice(0, index)) ? 1 : rank;
}

function areBeside(text: string, time: FoundTime, address: FoundAddress): boolean {
  return time.index < address.index
    ? /^\W{1,8}$/.test(text.slice(time.index + time.text.length, address.index))
    : /^\[?[\da-f:.]+\W{1,8}$/i.test(text.slice(address.index, time.index));
}

function areFar(a: FoundTime, b: FoundTime): boolean {
  return Math.abs(a.at - b.at) > FAR_MS;
}
