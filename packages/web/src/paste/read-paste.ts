// What somebody wants to know by what they typed or pasted: an address and a time, or a name to look for. Pure.
import { type FoundAddress, findAddresses, likeliest } from './addresses.ts';
import { type FoundDay, findDay, type PasteClock } from './days.ts';
import { type FoundTime, findTimes } from './times.ts';

export type Paste =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'addresses';
      readonly addresses: readonly FoundAddress[];
      readonly times: readonly FoundTime[];
      /** What is asked about unless the reader chooses another. */
      readonly ip: string;
      readonly at: number | undefined;
      /** A date, where there is no time of day in the text. */
      readonly day: FoundDay | undefined;
      /** How many more lines were pasted, which are not read: each has a time of its own. */
      readonly otherLines: number;
    }
  /** A pod, node, workload, UID, or a part of one. */
  | { readonly kind: 'name'; readonly text: string };

/** Longer texts are whole files: for those there is `podtrail attribute`. */
const MOST_TEXT = 100_000;
const LONGEST_NAME = 253;
const UID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/i;
const NAME = /[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?(?:\/[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)?/gi;

export function readPaste(text: string, clock: PasteClock): Paste {
  const trimmed = text.slice(0, MOST_TEXT).trim();
  if (trimmed === '') return { kind: 'nothing' };
  const records = trimmed.split(/\r?\n/).filter((line) => isRecord(line, clock));
  const read = records.length > 1 ? (records[0] ?? '') : trimmed;
  const addresses = findAddresses(read);
  const address = likeliest(addresses);
  if (address !== undefined) {
    const times = findTimes(read, clock);
    const otherLines = Math.max(0, records.length - 1);
    const day = times.length === 0 ? findDay(read, clock) : undefined;
    return { kind: 'addresses', addresses, times, ip: address.ip, at: times[0]?.at, day, otherLines };
  }
  return { kind: 'name', text: nameIn(trimmed) };
}

/** A line with an address and a time of its own. One record may also be spread over several lines, as JSON often is. */
function isRecord(line: string, clock: PasteClock): boolean {
  return findAddresses(line).length > 0 && findTimes(line, clock).length > 0;
}

/** Of a single word that word; of a line the UID, or the word that looks most like a pod's name. */
function nameIn(text: string): string {
  if (!/\s/.test(text)) return text.slice(0, LONGEST_NAME);
  const uid = UID.exec(text)?.[0];
  if (uid !== undefined) return uid;
  const words = [...text.matchAll(NAME)].map(([word]) => word).filter((word) => /[a-z]/i.test(word));
  const dashes = (word: string) => word.split('-').length;
  const [best] = words.sort((a, b) => dashes(b) - dashes(a));
  return (best ?? text).slice(0, LONGEST_NAME);
}
