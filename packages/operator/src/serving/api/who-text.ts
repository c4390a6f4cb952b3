// The answer of `who` as JSON: by the engine itself where it can and the asker sees everything, else on a snapshot. Both
// say the same (who-text.test.ts). Who sees some namespaces only is never answered inside an engine.
import { addressOf } from '@podtrail/history/wire';
import {
  type Asker,
  askQuestion,
  checkedParameters,
  clusterOf,
  instantOf,
  QUESTIONS,
  type Question,
} from '@podtrail/history/wire/catalogue';
import type { AskedLedger } from './asked-ledger.ts';

const WHO = QUESTIONS.who as unknown as Question;
const MOST_PLAIN = 64;

type Asked = Readonly<Record<string, unknown>>;
type Checked = Parameters<typeof QUESTIONS.who.ask>[1];

export async function whoText(ledger: AskedLedger, asker: Asker, asked: Asked): Promise<string> {
  const { points } = ledger;
  if (points !== undefined && asker.visibility.kind === 'all') {
    const { now } = asker;
    const { ip, at = now, seen, cluster: wanted } = plainWho(asked) ?? (checkedParameters(WHO, asked) as Checked);
    const cluster = clusterOf(await ledger.clusters(), wanted);
    const text = await points.ask(cluster, { ip: addressOf(ip), at, now, seen });
    if (text !== undefined) return text;
  }
  return JSON.stringify(await askQuestion(ledger.reader, asker, 'who', asked));
}

/** What the schema makes of the usual parameters, without it; undefined where it must look itself. */
export function plainWho(asked: Asked): Checked | undefined {
  for (const name of Object.keys(asked)) if (name !== 'ip' && name !== 'at' && name !== 'cluster') return undefined;
  const { ip, at, cluster } = asked;
  if (!isPlain(ip) || !(cluster === undefined || isPlain(cluster))) return undefined;
  const named = cluster === undefined ? {} : { cluster };
  if (at === undefined) return { ip, ...named, seen: false };
  const instant = isPlain(at) ? instantOf(at) : undefined;
  return instant === undefined ? undefined : { ip, at: instant, ...named, seen: false };
}

function isPlain(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= MOST_PLAIN;
}
