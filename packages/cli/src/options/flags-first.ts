// `podtrail -n shop trail web-1` means `podtrail trail -n shop web-1`: shared flags may stand before the command, as
// with kubectl.
import { sharedFlagTakesValue } from './shared-flags.ts';

/** The same words with the command first. Words that it does not know stay where they are, for the parser to refuse. */
export function commandFirst(words: readonly string[]): string[] {
  let i = 0;
  while (i < words.length) {
    const word = words[i] ?? '';
    const takesValue = sharedFlagTakesValue(word.split('=')[0] ?? '');
    if (takesValue === undefined) break;
    i += takesValue && !word.includes('=') ? 2 : 1;
  }
  const command = words[i];
  if (i === 0 || command === undefined || command.startsWith('-')) return [...words];
  return [command, ...words.slice(0, i), ...words.slice(i + 1)];
}
