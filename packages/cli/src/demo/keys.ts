// Single keys from a terminal. Without a terminal there are none.
import type { ReadStream } from 'node:tty';

/** Returns what gives the terminal back as it was. `gone`: the terminal was closed. */
export function onKeys(stdin: NodeJS.ReadStream, pressed: (key: string) => void, gone: () => void): () => void {
  if (!stdin.isTTY) return () => {};
  const terminal = stdin as ReadStream;
  const onBytes = (bytes: Buffer) => {
    for (const key of bytes.toString('latin1')) pressed(key);
  };
  terminal.setRawMode(true);
  terminal.on('data', onBytes);
  terminal.on('end', gone);
  terminal.on('error', gone);
  terminal.resume();
  return () => {
    terminal.off('data', onBytes);
    terminal.pause();
    try {
      terminal.setRawMode(false);
    } catch {
      // A terminal that has gone wants nothing back.
    }
  };
}
