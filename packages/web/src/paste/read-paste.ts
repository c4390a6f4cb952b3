// What somebody wants to know by what they typed or pasted: an address and a time, or a name to look for. Pure.
import { type FoundAddress, findAddresses, likeliest } from './addresses.ts';
import { type FoundDay, findDay, type PasteClock } from './days.ts';
import { type FoundTime, findTimes } from './times.ts';
import { whichTime } from './which-time.ts';

interface Found {
  readonly addresses: readonly FoundAddress[];
  readonly times: readonly FoundTime[];
  /** What is asked about unless the reader chooses another. */
  readonly at: number | undefined;
  /** A date, where there is no time of day that is understood in the text. */
  readonly day: FoundDay | undefined;
  /** There is a time, or a day, and which it is only the reader can say: it is not taken for now. */
  readonly isUnclear: boolean;
  /** How many more lines were pasted, which are not read: each has a time of its own. */
  readonly otherLines: number;
  /** More than an address and its port: whoever wrote it may have written when. */
  readonly isLine: boolean;
}

export type Paste = Found &
  (
    | { /** Nothing to ask about. */ readonly kind: 'nothing' }
    /** What is asked about unless the reader chooses another. */
    | { readonly kind: 'addresses'; readonly ip: string }
    /** A pod, node, workload, UID, or a part of one. */
    | { readonly kind: 'name'; readonly text: string }
  );

/** Longer texts are whole files: for those there is `podtrail attribute`. */
const MOST_TEXT = 100_000;
const LONGEST_NAME = 253;
/** IPv6 with a mapped IPv4 address, brackets, a port. */
const LONGEST_ADDRESS = 53;
/** As pods are called in DNS. */
const DNS = /(?<![\w.-])(\d+)-(\d+)-(\d+)-(\d+)\.[\w.-]+\.(?:pod|svc)\b[\w.]*/g;
const UID = /\b\w{8}-(?:\w{4}-){3}\w{12}\b/;
const NAME = /[a-z\d](?:[-a-z\d./]*[a-z\d])?/gi;

export function readPaste(text: string, clock: PasteClock): Paste {
  // Without the colours of a terminal, and with the colons of what stood in a URL.
  const plain = text
    .slice(0, MOST_TEXT)
    .replace(/\p{Cc}?\[[\d;]*m/gu, '')
    .replace(/%3a/gi, ':');
  const trimmed = plain.replace(DNS, '$1.$2.$3.$4').trim();
  const records = trimmed.split(/\r?\n/).filter((line) => isRecord(line, clock));
  const read = records.length > 1 ? (records[0] ?? '') : trimmed;
  const addresses = findAddresses(read);
  const address = likeliest(addresses);
  const { times, at, isUnclear } = whichTime(read, findTimes(read, clock), address);
  const day = address !== undefined && times.length === 0 ? findDay(read, clock) : undefined;
  const found = {
    ...{ addresses, times, at, day },
    isUnclear: address !== undefined && (isUnclear || day !== undefined),
    otherLines: Math.max(0, records.length - 1),
    isLine: read.length > LONGEST_ADDRESS || /[\s={]|[,;|]./.test(read),
  };
  if (address !== undefined) return { ...found, kind: 'addresses', ip: address.ip };
  // A date has dashes, too.
  const rest = times.reduce((left, time) => left.replace(time.text, ' '), trimmed).trim();
  const name = nameIn(rest === '' ? trimmed : rest);
  return name === '' ? { ...found, kind: 'nothing' } : { ...found, kind: 'name', text: name };
}

/** A line with an address and a time of its own. One record may also be spread over several lines, as JSON often is. */
function isRecord(line: string, clock: PasteClock): boolean {
  return findAddresses(line).length > 0 && findTimes(line, clock).length > 0;
}

/** Of a single word that word; of a line the UID, or the word that looks most like a pod's name: of prose none. */
function nameIn(text: string): string {
  if (!/\s/.test(text)) return text.slice(0, LONGEST_NAME);
  const uid = UID.exec(text)?.[0];
  if (uid !== undefined) return uid;
  const words = [...text.matchAll(NAME)]
    .map(([word]) => word)
    .filter((word) => /[a-z]/i.test(word) && /[-/\d]/.test(word));
  const dashes = (word: string) => word.split('-').length;
  const [best = ''] = words.sort((a, b) => dashes(b) - dashes(a));
  return best.slice(0, LONGEST_NAME);
}
