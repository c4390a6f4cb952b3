// The address of a row of a flow log. Plain IPv4, which logs mostly have, is read from the bytes; every other form
// goes through parseIp, and is known from then on.
import { type IpAddress, parseIp } from '@podtrail/history/wire';

const DOT = 46;
const MOST_KNOWN = 200_000;
/** An address with a zone and a port is shorter: what is longer is none. */
const LONGEST = 100;
/** No 32 bits. */
export const NOT_PLAIN = 2 ** 40;

/** The 32 bits of four plain decimals, signed; NOT_PLAIN for all else, be it an address or not. */
export function ipv4Bits(bytes: Buffer, start: number, end: number): number {
  let bits = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === DOT) {
      if (digits === 0 || dots === 3) return NOT_PLAIN;
      bits = (bits << 8) | part;
      part = 0;
      digits = 0;
      dots++;
      continue;
    }
    // `010` is octal to one program and decimal to another, so it is nobody's address.
    if (byte < 48 || byte > 57 || (digits > 0 && part === 0)) return NOT_PLAIN;
    part = part * 10 + byte - 48;
    if (part > 255) return NOT_PLAIN;
    digits++;
  }
  return digits === 0 || dots !== 3 ? NOT_PLAIN : (bits << 8) | part;
}

/** Addresses repeat: each text is parsed once. */
export class RowAddresses {
  readonly #known = new Map<string, IpAddress | undefined>();

  parse(text: string): IpAddress | undefined {
    const known = this.#known.get(text);
    if (known !== undefined || this.#known.has(text)) return known;
    if (text.length > LONGEST) return text.length === text.trim().length ? undefined : this.parse(text.trim());
    // A copy: what was cut out of a record would keep all of the record.
    const own = Buffer.from(text, 'utf8').toString('utf8');
    const ip = addressIn(own);
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(own, ip);
    return ip;
  }
}

function addressIn(text: string): IpAddress | undefined {
  return parseIp(text) ?? parseIp(withoutPort(text));
}

/** `10.0.0.7:443`, `[fd00::7]:443`: proxies write addresses so. */
function withoutPort(text: string): string {
  const found = /^\s*(?:(\d+\.\d+\.\d+\.\d+)|\[([0-9a-fA-F:.]+)\]):\d{1,5}\s*$/.exec(text);
  return found?.[1] ?? found?.[2] ?? '';
}
