// A row of the input on its way through `attribute`: what it says, and what is asked about it.
import type { EpochMillis, IpAddress } from '@podtrail/history';
import { RowAddresses } from './row-address.ts';
import type { RowTimes } from './row-time.ts';

export type Members = Readonly<Record<string, unknown>>;

export interface Row {
  /** As it came, one character a byte, without its line end. */
  readonly raw: string;
  /** Of CSV; undefined where the raw text is all that is needed. */
  readonly fields: readonly string[] | undefined;
  /** Of JSON; undefined when it is no object. */
  readonly members: Members | undefined;
  readonly ip: IpAddress | undefined;
  readonly at: EpochMillis | undefined;
  /** Why nothing can be asked about it. */
  readonly problem: string | undefined;
  /** An empty line: it goes out as it came, and is no row. */
  readonly blank: boolean;
}

/** Where rows come from; the header is known once the first rows are there. */
export interface RowSource {
  push(chunk: Uint8Array): Row[];
  end(): Row[];
}

type Content = Pick<Row, 'fields' | 'members'>;

/** Reads what is asked from two texts. */
export class Questions {
  readonly #times: RowTimes;
  readonly #addresses = new RowAddresses();

  constructor(times: RowTimes) {
    this.#times = times;
  }

  row(raw: string, content: Content, ipText: string, timeText: string): Row {
    const ip = this.#addresses.parse(ipText);
    const at = this.#times.parse(timeText);
    let problem: string | undefined;
    if (ip === undefined) problem = `"${ipText}" is not an IP address`;
    else if (at === undefined) problem = this.#times.problem;
    return { raw, fields: content.fields, members: content.members, ip, at, problem, blank: false };
  }
}

export function malformedRow(raw: string, { fields, members }: Content, problem: string): Row {
  return { raw, fields, members, ip: undefined, at: undefined, problem, blank: false };
}

export const BLANK_ROW: Row = {
  raw: '',
  fields: undefined,
  members: undefined,
  ip: undefined,
  at: undefined,
  problem: undefined,
  blank: true,
};

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
