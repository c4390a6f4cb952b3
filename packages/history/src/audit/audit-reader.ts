// Reads audit logs as bytes and gives the actions in them: one for each request, whatever the number of its lines and
// files. Memory stays bounded whatever the input is. Nothing in an input makes it throw: what cannot be read is counted,
// and the first ones are reported with where they stand.
import { isUtf8 } from 'node:buffer';
import { actionOf } from './action-of.ts';
import { type AuditEvent, isObject, NOT_AN_EVENT, readAuditEvent } from './audit-event.ts';
import type { AuditedAction } from './audited-action.ts';
import { EventSkimmer } from './event-skimmer.ts';
import { LineCutter } from './line-cutter.ts';
import { LineFilter } from './line-filter.ts';
import { requestKey, SeenRequests } from './seen-requests.ts';

/** A line that is no event. */
export interface DamagedLine {
  readonly input: string;
  /** From 1. */
  readonly line: number;
  /** Of its first byte in the input, unpacked. */
  readonly offset: number;
  readonly why: string;
}

export interface AuditTally {
  /** Of the inputs, unpacked. */
  bytes: number;
  lines: number;
  /** Lines that were parsed: they speak of a tracked object, and of more than a read. */
  parsed: number;
  actions: number;
  /** Lines about a request that had been seen with its answer. */
  repeated: number;
  /** Lines, and items of lists, that are no event. */
  damaged: number;
  /** Lines of the API server's own log. */
  other: number;
  /** Lines that were too long to be held: of their bodies only what an action needs was kept. */
  long: number;
}

export interface AuditReaderOptions {
  readonly onAction: (action: AuditedAction) => void;
  readonly onDamaged?: (line: DamagedLine) => void;
  /** Bytes of a line that is parsed as a whole; default 512 KiB. */
  readonly longestLine?: number;
  /** Requests without an answer that are waited for at a time. */
  readonly mostPending?: number;
}

const LONGEST_LINE = 512 << 10;
/** So much is looked at as text at a time: V8 collects small texts at once, and large ones late. */
const PIECE = 32 << 10;
const MOST_PENDING = 10_000;
const NEWLINE = 0x0a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** Logs that went through a container runtime or a collector have a time, or more, before the event. */
const LONGEST_PREFIX = 128;
/** What the API server says for itself, where both go to one place: klog's header, also as a container runtime has it. */
const OWN_LOG = /^(?:\S{20,40} (?:stdout|stderr) [FP] )?[IWEF]\d{4} \d{2}:\d{2}:\d{2}/;
const API = Buffer.from('"audit.k8s.io');
const BACKSLASH = 0x5c;
/** How the API server begins a line. */
const EVENT_BEGINS = '{"kind":"Event","apiVersion":"audit.k8s.io/v1"';

export class AuditReader {
  readonly tally: AuditTally = {
    bytes: 0,
    lines: 0,
    parsed: 0,
    actions: 0,
    repeated: 0,
    damaged: 0,
    other: 0,
    long: 0,
  };
  readonly #options: AuditReaderOptions;
  readonly #longest: number;
  readonly #seen = new SeenRequests();
  /** Requests whose answer is still to come, the oldest first. */
  readonly #pending = new Map<string, AuditedAction>();
  #cutter: LineCutter;
  #input = '';
  #line = 0;
  #offset = 0;

  constructor(options: AuditReaderOptions) {
    this.#options = options;
    this.#longest = options.longestLine ?? LONGEST_LINE;
    this.#cutter = this.#newCutter();
  }

  /** What is pushed from now on is of another input. */
  begin(input: string): void {
    this.#cutter.end();
    this.#cutter = this.#newCutter();
    this.#input = input;
    this.#line = 0;
    this.#offset = 0;
  }

  push(chunk: Uint8Array): void {
    this.tally.bytes += chunk.length;
    for (let at = 0; at < chunk.length; at += PIECE) this.#cutter.push(chunk.subarray(at, at + PIECE));
  }

  /** All inputs have ended: requests that are still without an answer are unfinished. */
  end(): void {
    this.#cutter.end();
    for (const action of this.#pending.values()) this.#emit(action);
    this.#pending.clear();
  }

  #newCutter(): LineCutter {
    return new LineCutter({
      longest: this.#longest,
      onBlock: (block) => this.#readBlock(block),
      onLong: () => {
        const skimmer = new EventSkimmer();
        const end = (bytes: number): void => {
          this.#line++;
          this.tally.lines++;
          this.#skimmed(skimmer);
          this.#offset += bytes;
        };
        return { push: (bytes) => skimmer.push(bytes), end };
      },
    });
  }

  #readBlock(block: Buffer): void {
    const filter = new LineFilter(block.toString('latin1'));
    for (let start = 0; start < block.length; ) {
      const newline = block.indexOf(NEWLINE, start);
      const next = newline === -1 ? block.length : newline + 1;
      const end = contentEnd(block, start, newline === -1 ? block.length : newline);
      this.#line++;
      this.tally.lines++;
      if (end > start) this.#readLine(block, start, end, filter.matters(start, end));
      this.#offset += next - start;
      start = next;
    }
  }

  /** A line that was too long to be held. */
  #skimmed(skimmer: EventSkimmer): void {
    this.tally.parsed++;
    this.tally.long++;
    const found = skimmer.end();
    if ('why' in found) this.#damaged(found.why);
    else if (!isUtf8(found.json)) this.#damaged('not UTF-8');
    else {
      const value = parsed(found.json.toString());
      if (value === undefined) this.#damaged('not JSON');
      else this.#readValue(value);
    }
  }

  #readLine(block: Buffer, start: number, end: number, matters: boolean): void {
    if (block[start] !== OPEN_BRACE && OWN_LOG.test(block.toString('latin1', start, Math.min(end, start + 80)))) {
      this.tally.other++;
      return;
    }
    const from = eventStart(block, start, end);
    if (from === undefined) this.#damaged('not JSON');
    else if (matters) this.#parse(block.subarray(from, end));
    // Not parsed; but what breaks off shows at its end, and what is something else does not name the API.
    else if (block[end - 1] !== CLOSE_BRACE) this.#damaged('it breaks off');
    else if (!namesApi(block, from, end)) this.#damaged(NOT_AN_EVENT);
  }

  #parse(line: Buffer): void {
    this.tally.parsed++;
    if (!isUtf8(line)) {
      this.#damaged('not UTF-8');
      return;
    }
    const text = line.toString();
    const value = parsed(text);
    if (value !== undefined) {
      this.#readValue(value);
      return;
    }
    this.#damaged('not JSON, or it breaks off');
    // An API server that was killed while it wrote leaves half a line, and the next one goes on behind it.
    const again = text.lastIndexOf(EVENT_BEGINS);
    if (again > 0) this.#readValue(parsed(text.slice(again)));
  }

  #readValue(value: unknown): void {
    // As the webhook of an API server sends them.
    if (isObject(value) && value['kind'] === 'EventList' && Array.isArray(value['items'])) {
      for (const item of value['items']) {
        // Items do not always repeat what they are.
        this.#readEvent(isObject(item) ? { apiVersion: value['apiVersion'], kind: 'Event', ...item } : item);
      }
    } else if (value !== undefined) this.#readEvent(value);
  }

  #readEvent(value: unknown): void {
    const event = readAuditEvent(value);
    if (typeof event === 'string') {
      this.#damaged(event);
      return;
    }
    const action = actionOf(event);
    if (action === undefined) return;
    if (event.stage === 'RequestReceived') this.#await(event, action);
    else this.#answered(event, action);
  }

  #await(event: AuditEvent, action: AuditedAction): void {
    const key = requestKey(event);
    if (this.#seen.has(key) || this.#pending.has(key)) {
      this.tally.repeated++;
      return;
    }
    this.#pending.set(key, action);
    if (this.#pending.size <= (this.#options.mostPending ?? MOST_PENDING)) return;
    const [oldest] = this.#pending;
    if (oldest === undefined) return;
    this.#pending.delete(oldest[0]);
    this.#emit(oldest[1]);
  }

  /** The first answer counts: a connection has one when it begins, and another when it ends. */
  #answered(event: AuditEvent, action: AuditedAction): void {
    const key = requestKey(event);
    this.#pending.delete(key);
    if (this.#seen.add(key)) this.#emit(action);
    else this.tally.repeated++;
  }

  #emit(action: AuditedAction): void {
    this.tally.actions++;
    this.#options.onAction(action);
  }

  #damaged(why: string): void {
    this.tally.damaged++;
    this.#options.onDamaged?.({ input: this.#input, line: this.#line, offset: this.#offset, why });
  }
}

/** Without spaces and a carriage return at its end. */
function contentEnd(block: Buffer, start: number, end: number): number {
  while (end > start && (block[end - 1] === 0x0d || block[end - 1] === 0x20 || block[end - 1] === 0x09)) end--;
  return end;
}

/** Undefined: there is no JSON object in it. */
function eventStart(block: Buffer, start: number, end: number): number | undefined {
  if (block[start] === OPEN_BRACE) return start;
  const brace = block.subarray(start, Math.min(end, start + LONGEST_PREFIX)).indexOf(OPEN_BRACE);
  return brace === -1 ? undefined : start + brace;
}

/** As a value: a collector that wraps a line into a text escapes its quotes. */
function namesApi(block: Buffer, start: number, end: number): boolean {
  const found = block.indexOf(API, start);
  return found !== -1 && found < end && block[found - 1] !== BACKSLASH;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
