// A TCP port on the command line.
import { UsageError } from '../errors.ts';

/** For commander's `option`. */
export function portNumber(flag: string): (text: string) => number {
  return (text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (port <= 65_535) return port;
    throw new UsageError(`${flag} ${text} is not a port`, 'a number up to 65535; 0 lets the system choose one.');
  };
}
