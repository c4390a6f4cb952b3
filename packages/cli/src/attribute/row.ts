// A row of the input on its way through `attribute`: what it says, and what is asked about it.
import { type EpochMillis, epochMillis, type IpAddress } from '@podtrail/history/wire';
import type { Flow } from './formats/format.ts';
import { RowAddresses } from './row-address.ts';
import type { RowTimes } from './row-time.ts';

export type Members = Readonly<Record<string, unknown>>;

/** What is asked about one end of a row. */
export type Asked =
  | {
      readonly kind: 'ask';
      readonly ip: IpAddress;
      /** The first and the last instant; the same where the row is an instant. */
      readonly from: EpochMillis;
      readonly to: EpochMillis;
      /** The row shows that this end sent something. */
      readonly sent: boolean;
    }
  /** There is no address, and that is in order. */
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly problem: string };

export interface Row {
  /** As it came, one character a byte, without its line end. */
  readonly raw: string;
  /** Of delimited text; undefined where the raw text is all that is needed. */
  readonly fields: readonly string[] | undefined;
  /** Of JSON; undefined when it is no object. */
  readonly members: Members | undefined;
  /** One for each address of a row. */
  readonly asked: readonly Asked[];
  /** An empty line or a comment: it goes out as it came, and is no row. */
  readonly blank: boolean;
}

/** Where rows come from; the header is known once the first rows are there. */
export interface RowSource {
  push(chunk: Uint8Array): Row[];
  end(): Row[];
}

type Content = Pick<Row, 'fields' | 'members'>;

const NONE: Asked = { kind: 'none' };

/** Reads what is asked from texts. */
export class Questions {
  readonly #times: RowTimes;
  readonly #addresses = new RowAddresses();

  constructor(times: RowTimes) {
    this.#times = times;
  }

  asked(flow: Flow): Asked[] {
    const from = this.#time(flow.start);
    const to = from === undefined ? undefined : this.#end(flow, from);
    if (from === undefined || to === undefined || to < from) {
      const problem = to === undefined ? this.#times.problem : 'it ends before it begins';
      return flow.ends.map(({ address }) => (address === undefined ? NONE : { kind: 'malformed', problem }));
    }
    return flow.ends.map(({ address, sent }): Asked => {
      if (address === undefined) return NONE;
      const ip = this.#addresses.parse(address);
      if (ip === undefined) return { kind: 'malformed', problem: `"${address}" is not an IP address` };
      return { kind: 'ask', ip, from, to, sent };
    });
  }

  #time(time: string | number | undefined): EpochMillis | undefined {
    return this.#times.parse(time === undefined ? '' : String(time));
  }

  #end({ end, lasted }: Flow, from: EpochMillis): EpochMillis | undefined {
    if (lasted !== undefined) return epochMillis(from + Math.max(0, lasted));
    return end === undefined ? from : this.#time(end);
  }
}

export function malformedRow(raw: string, { fields, members }: Content, problem: string, ends: number): Row {
  const asked = Array.from({ length: ends }, (): Asked => ({ kind: 'malformed', problem }));
  return { raw, fields, members, asked, blank: false };
}

export function blankRow(raw: string): Row {
  return { raw, fields: undefined, members: undefined, asked: [], blank: true };
}

/** Text of one character a byte as it is meant. */
export function utf8Of(raw: string): string {
  return isAscii(raw) ? raw : Buffer.from(raw, 'latin1').toString('utf8');
}

/** The other way round, for what we write ourselves. */
export function rawOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text);
}
