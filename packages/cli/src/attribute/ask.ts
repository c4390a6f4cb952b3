// Many questions at once, as `attribute` asks them: the same answers as `who`, row by row.
import { type AnsweredHolder, AnswerWindows, type Engine, type EpochMillis, type Moment } from '@podtrail/history';
import { type Attributed, type Attribution, MALFORMED } from './columns.ts';
import type { Row } from './row.ts';

export type AskRows = (rows: readonly Row[]) => Promise<readonly Attribution[]>;

export type AskWindows<T> = Pick<AnswerWindows<T>, 'of' | 'want' | 'read' | 'answer' | 'askEach'>;

/** The ledger that is asked; `spell` makes of each answer what the rows need. */
export type AskLedger = <T>(spell: (attribution: Attribution) => T) => AskWindows<T>;

export function askLedger(engine: Engine, cluster: string, now: EpochMillis): AskLedger {
  return (spell) =>
    new AnswerWindows(engine, {
      cluster,
      now,
      spell: (answer, holders, provisional) => spell({ answer, holders: holders.map(attributed), provisional }),
    });
}

export function askRows(ledger: AskLedger): AskRows {
  const windows = ledger((attribution) => attribution);
  return async (rows) => {
    const asked = rows.map(({ ip, at }) => {
      if (ip === undefined || at === undefined) return undefined;
      const window = windows.of(ip);
      windows.want(window, at);
      return { ip, at, window };
    });
    await windows.read();
    const answers = asked.map((row) => (row === undefined ? MALFORMED : windows.answer(row.window, row.at)));
    const left: Moment[] = [];
    for (const [i, row] of asked.entries()) if (row !== undefined && answers[i] === undefined) left.push(row);
    const rest = await windows.askEach(left);
    let next = 0;
    return answers.map((answer) => answer ?? (rest[next++] as Attribution));
  };
}

function attributed({ kind, namespace, name, uid, node, workload, start, end }: AnsweredHolder): Attributed {
  return { kind, namespace, name, uid, node, workload, from: start.at, to: end?.at };
}
