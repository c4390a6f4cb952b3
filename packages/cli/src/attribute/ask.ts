// Many questions at once, as `attribute` asks them: the same answers as `who`, row by row.
import { type Answer, type AnsweredHolder, attribute, type Engine, type EpochMillis } from '@podtrail/history';
import { type Attributed, type Attribution, MALFORMED } from './columns.ts';
import { IpWindows } from './ip-windows.ts';
import type { Row } from './row.ts';

export type AskRows = (rows: readonly Row[]) => Promise<readonly Attribution[]>;

const MOST_KNOWN = 100_000;
const FREE: Attribution = { answer: 'free', holders: [] };
const UNKNOWN: Attribution = { answer: 'unknown', holders: [] };

export function askLedger(engine: Engine, cluster: string, now: EpochMillis): AskRows {
  // Most rows of a log have the same few holders: one object for each, so that it is spelled once.
  const known = new Map<string, Attribution>();
  const attributionOf = ({ answer, holders }: Answer): Attribution => {
    const [first] = holders;
    if (first === undefined) return answer === 'free' ? FREE : UNKNOWN;
    if (answer !== 'held') return { answer, holders: holders.map(attributed) };
    const key = `${first.uid}|${first.start.at}|${first.end?.at ?? ''}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= MOST_KNOWN) known.clear();
    const made: Attribution = { answer, holders: [attributed(first)] };
    known.set(key, made);
    return made;
  };
  const options = {
    cluster,
    ask: ({ ip, at }: Row) => (ip === undefined || at === undefined ? undefined : { ip, at }),
    now: () => now,
  };
  const windows = new IpWindows(engine);
  const bulk = withBulk(engine, windows);
  return async (rows) => {
    const answers: Attribution[] = [];
    for await (const { answer } of attribute(bulk, rows, { ...options, batch: rows.length })) {
      answers.push(answer === undefined ? MALFORMED : attributionOf(answer));
    }
    return answers;
  };
}

function attributed({ kind, namespace, name, uid, node, workload, start, end }: AnsweredHolder): Attributed {
  return { kind, namespace, name, uid, node, workload, from: start.at, to: end?.at };
}

/** The engine itself, but for the one question that is asked for every row. */
function withBulk(engine: Engine, windows: IpWindows): Engine {
  return new Proxy(engine, {
    get(target, key) {
      if (key === 'tenuresAtMany') return windows.tenuresAtMany.bind(windows);
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
