// Bytes cut into lines of text. A line that does not end within reason ends the reading.
import { CliError } from '../errors.ts';

/** An annotation may have 256 KiB, a pod a few of them. */
const LONGEST_LINE = 64 << 20;

/** Without line ends; empty lines too. */
export async function* textLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: false });
  let rest = '';
  for await (const chunk of input) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new CliError('line-too-long', 'a line of the input is longer than 64 MiB');
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
