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

const TAKEN: Readonly<Record<string, string>> = {
  '--store': 'store',
  '--server': 'server',
  '--server-ca': 'serverCa',
  '--context': 'context',
  '--kubeconfig': 'kubeconfig',
};
/** They are looked at, and stay. */
const SEEN: Readonly<Record<string, string>> = { '--namespace': 'namespace', '-n': 'namespace' };

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
    const taken = TAKEN[flag];
    if (taken !== undefined) found[taken] = value.length > 0 ? value.join('=') : (words[++i] ?? '');
    else if (word === '--send-kubeconfig-token') found['sendKubeconfigToken'] = true;
    else {
      rest.push(word);
      const seen = SEEN[flag];
      if (seen !== undefined) found[seen] = value.length > 0 ? value.join('=') : (words[i + 1] ?? '');
      if (word === '-q' || word === '--quiet') found['quiet'] = true;
    }
  }
  const before = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  return { options: found, rest, isHelp: before.includes('--help') || before.includes('-h') };
}
