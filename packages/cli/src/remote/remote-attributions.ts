// The ledger behind `attribute` where it is elsewhere: rows stay here, and what they ask goes there in parts that are
// answered within seconds, one after the other, so that neither side holds more than one.
import {
  AddressWindow,
  type AskAttributions,
  type Attribution,
  type IpAddress,
  ipv4Text,
} from '@podtrail/history/wire';
import { ElsewhereError } from '../errors.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { RemoteAsker } from './remote-asker.ts';
import { type AskedOfLog, MOST_QUESTIONS, type RemoteCommand } from './remote-command.ts';

type Question = AskedOfLog['questions'][number];
/** Answers that rows share are made once; more than these are made again. */
const MOST_KEPT = 50_000;

export type AskLog = (questions: readonly Question[], aboutFree: boolean) => Promise<readonly Attribution[]>;

export interface AskLogOptions {
  readonly cluster: string | undefined;
  /** What the server adds for people: that answers are narrowed. Each text once, however many parts there are. */
  readonly onNote: (text: string) => Promise<void>;
}

export function askLog(asker: RemoteAsker, command: RemoteCommand, { cluster, onNote }: AskLogOptions): AskLog {
  const noted = new Set(['']);
  return async (questions, aboutFree) => {
    const asked = { aboutFree, questions, ...(cluster === undefined ? {} : { cluster }) };
    const { exitCode, err, attributions } = await asker.ask({ ...command, asked });
    if (attributions === undefined) throw new ElsewhereError(err, exitCode as ExitCode);
    if (!noted.has(err)) {
      noted.add(err);
      await onNote(err);
    }
    const { unique, answers } = attributions;
    return answers.map((place) => unique[place] as Attribution);
  };
}

export function remoteAttributions(ask: AskLog): AskAttributions {
  return <T>(format: (attribution: Attribution) => T, aboutFree: boolean) => {
    const made = new Map<string, T>();
    const formatted = (attribution: Attribution): T => {
      const key = JSON.stringify(attribution);
      const known = made.get(key);
      if (known !== undefined) return known;
      if (made.size >= MOST_KEPT) made.clear();
      const text = format(attribution);
      made.set(key, text);
      return text;
    };
    const each = async (questions: readonly Question[]): Promise<T[]> => {
      const answers: T[] = [];
      for (let at = 0; at < questions.length; at += MOST_QUESTIONS) {
        const some = await ask(questions.slice(at, at + MOST_QUESTIONS), aboutFree);
        for (const attribution of some) answers.push(formatted(attribution));
      }
      return answers;
    };
    return {
      of: (key: number | IpAddress) => new AddressWindow<T>(typeof key === 'number' ? ipv4Text(key) : key),
      want: () => {},
      read: async () => {},
      answer: () => undefined,
      askEach: (moments) => each(moments.map(({ ip, at }) => [ip, at, at])),
      askEachDuring: (stretches) => each(stretches.map(({ ip, from, to }) => [ip, from, to])),
    };
  };
}
