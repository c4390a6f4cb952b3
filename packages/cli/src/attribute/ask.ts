// Many questions at once, as `attribute` asks them: the same answers as `who`, row by row.
import { type Answer, type Engine, type EpochMillis, who } from '@podtrail/history';
import { type Attribution, MALFORMED } from './columns.ts';
import type { Row } from './row.ts';

export type AskRows = (rows: readonly Row[]) => Promise<readonly Attribution[]>;

export function askLedger(engine: Engine, cluster: string, now: EpochMillis): AskRows {
  return async (rows) =>
    await Promise.all(
      rows.map(async ({ ip, at }) => {
        if (ip === undefined || at === undefined) return MALFORMED;
        return attributionOf(await who(engine, { cluster, ip, at, now }));
      }),
    );
}

function attributionOf({ answer, holders }: Answer): Attribution {
  const attributed = holders.map(({ kind, namespace, name, uid, node, workload, start, end }) => ({
    ...{ kind, namespace, name, uid, node, workload },
    ...{ from: start.at, to: end?.at },
  }));
  return { answer, holders: attributed };
}
