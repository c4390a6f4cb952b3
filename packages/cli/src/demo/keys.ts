// Single keys from a terminal. Without a terminal there are none.
import type { ReadStream } from 'node:tty';

/** Returns what gives the terminal back as it was. */
export function onKeys(stdin: NodeJS.ReadStream, pressed: (key: string) => void): () => void {
  if (!stdin.isTTY) return () => {};
  const terminal = stdin as ReadStream;
  const heard = (bytes: Buffer) => {
    for (const key of bytes.toString('latin1')) pressed(key);
  };
  terminal.setRawMode(true);
  terminal.on('data', heard);
  terminal.resume();
  return () => {
    terminal.off('data', heard);
    terminal.setRawMode(false);
    terminal.pause();
  };
}
