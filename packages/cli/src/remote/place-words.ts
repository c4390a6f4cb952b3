// The flags that say where a command asks, found among its words, and the words without them: a server is asked with the
// rest.
import type { PlaceOptions } from './place.ts';

export interface PlaceWords {
  readonly options: PlaceOptions & {
    readonly serverCa?: string;
    readonly sendKubeconfigToken?: boolean;
    readonly quiet?: boolean;
    readonly namespace?: string;
  };
  readonly rest: readonly string[];
  readonly isHelp: boolean;
}

/** Maps: a pod may be called `constructor`. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ['--store', 'store'],
  ['--server', 'server'],
  ['--server-ca', 'serverCa'],
  ['--context', 'context'],
  ['--kubeconfig', 'kubeconfig'],
]);
/** Flags of one letter, as the parser takes them: `-n shop`, `-nshop`, `-qn shop`. Only the last may have a value. */
const LETTERS = /^-([Aqh]*)(?:n(.*))?$/s;

/** `words`: with the command first. */
export function placeWords(words: readonly string[]): PlaceWords {
  const found: Record<string, string | boolean> = {};
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    // What follows are names, whatever they look like.
    if (word === '--') {
      rest.push(...words.slice(i));
      break;
    }
    const [flag = '', ...value] = word.split('=');
    const taken = TAKEN.get(flag);
    if (taken !== undefined) found[taken] = value.length > 0 ? value.join('=') : (words[++i] ?? '');
    else if (word === '--send-kubeconfig-token') found['sendKubeconfigToken'] = true;
    else {
      // They are looked at, and stay.
      rest.push(word);
      const next = words[i + 1] ?? '';
      const [, letters = '', behind] = LETTERS.exec(word) ?? [];
      if (flag === '--namespace') found['namespace'] = value.length > 0 ? value.join('=') : next;
      else if (behind !== undefined) found['namespace'] = behind === '' ? next : behind;
      if (word === '--quiet' || letters.includes('q')) found['quiet'] = true;
    }
  }
  const before = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  return { options: found, rest, isHelp: before.includes('--help') || before.includes('-h') };
}
