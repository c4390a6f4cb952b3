// Whether a server is to be asked: `--server` of a command that asks, unless a store is named, too.
import { UsageError } from '../errors.ts';
import { isAsking } from './remote-command.ts';

export interface Remote {
  readonly server: string;
  /** Without the flag. */
  readonly words: readonly string[];
}

const FLAG = '--server';

/** `words`: with the command first. */
export function remoteOf(words: readonly string[]): Remote | undefined {
  if (!isAsking(words[0])) return undefined;
  let server: string | undefined;
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    // What follows are names, whatever they look like.
    if (word === '--') {
      rest.push(...words.slice(i));
      break;
    }
    if (word === FLAG) server = words[++i] ?? '';
    else if (word.startsWith(`${FLAG}=`)) server = word.slice(FLAG.length + 1);
    else rest.push(word);
  }
  if (server === undefined || rest.includes('--help') || rest.includes('-h')) return undefined;
  if (rest.some((word) => /^--store(?:=|$)/.test(word))) {
    throw new UsageError('--store and --server are two places to ask', 'give one of them.');
  }
  return { server, words: rest };
}
