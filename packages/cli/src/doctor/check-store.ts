// Looks at the store: is it there, can it be read, is somebody watching.
import {
  type AnomalySummary,
  type Coverage,
  type Engine,
  type LedgerReader,
  type Patrolled,
  type SizeLimit,
  withSnapshot,
} from '@podtrail/history';
import { LIVENESS_MS, watchedFromTo } from '@podtrail/history/wire';
import type { CommandEnv } from '../command-env.ts';
import { showDuration } from '../times/duration.ts';
import { toUtcText } from '../times/show-time.ts';
import { anomalySentence, recentAnomalies } from '../views/anomaly.ts';
import { checkAudit } from './check-audit.ts';
import { checkRoom } from './check-room.ts';
import { type Finding, found, looked } from './finding.ts';

export async function checkStore(url: string, limit: SizeLimit, commandEnv: CommandEnv): Promise<Finding[]> {
  let engine: Engine;
  try {
    engine = await commandEnv.openStore(url, 'read');
  } catch (error) {
    const { message, hint, code } = error as { message: string; hint?: string; code?: string };
    return [found('store', code === 'no-store' ? 'warning' : 'failed', message, hint)];
  }
  try {
    const findings: Finding[] = [];
    findings.push(
      await looked('store', async () => {
        const { version, clusters } = await engine.status();
        return found(
          'store',
          'ok',
          `${url}, format ${version}, ${clusters.length} cluster${clusters.length === 1 ? '' : 's'}`,
        );
      }),
    );
    findings.push(await looked('damage', async () => damage(await engine.patrolled(), commandEnv.clock.now())));
    findings.push(await looked('room', () => checkRoom(engine, limit, commandEnv.clock.now())));
    for (const { id, name } of await engine.clusters()) {
      findings.push(
        await looked(`recording ${name}`, async () =>
          watched(name, watchedFromTo(await coverageOf(engine, id)).last, commandEnv.clock.now()),
        ),
      );
      findings.push(...(await anomalies(engine, id, name, commandEnv.clock.now())));
      const now = commandEnv.clock.now();
      findings.push(await looked(`audit log of ${name}`, () => checkAudit(engine, id, name, now)));
    }
    return findings;
  } finally {
    await engine.close();
  }
}

const LIST_DAMAGE = '`podtrail store verify` reads the store now and lists what is damaged; restore it from a backup.';

/** What the recorder found that reads the store through, a part every five minutes. */
function damage(patrolled: Patrolled | undefined, now: number): Finding {
  if (patrolled === undefined) {
    const hint = '`podtrail store verify` reads all of it now.';
    return found('damage', 'ok', 'no recorder has begun to read the store through; one does, every five minutes', hint);
  }
  const { at, damages, where, whole } = patrolled;
  const looked = `last read ${showDuration(Math.max(0, now - at))} ago`;
  const read = whole === undefined ? 'not yet read to its end' : `read through by ${toUtcText(whole.at)}`;
  // The reading under way may not have come yet to what the last one found.
  const worst = damages > 0 ? { damages, where } : whole;
  if (worst === undefined || worst.damages === 0) return found('damage', 'ok', `none found; ${read}, ${looked}`);
  const parts = worst.damages === 1 ? '1 part is damaged' : `${worst.damages} parts are damaged`;
  return found('damage', 'failed', `${parts}, the first: ${worst.where ?? 'unknown'}; ${read}, ${looked}`, LIST_DAMAGE);
}

const ANOMALIES: Readonly<Record<AnomalySummary['what'], readonly [check: string, hint: string]>> = {
  'clock-skew': ['clocks', 'let the nodes, the API server and the recorder take their time from NTP.'],
  'unparsable-address': ['addresses', 'look at what writes that field: a CNI plugin, or a proxy that hides addresses.'],
  'node-changed': [
    'nodes',
    'a pod never changes its node: look for an etcd that was restored, or two clusters in one.',
  ],
};

/** Nothing where there are none. */
function coverageOf(engine: LedgerReader, id: string): Promise<readonly Coverage[]> {
  return withSnapshot(engine, id, (snapshot) => snapshot.coverage());
}

async function anomalies(engine: Engine, id: string, name: string, now: number): Promise<Finding[]> {
  try {
    return (await recentAnomalies(engine, id, now)).map((summary) => {
      const [check, hint] = ANOMALIES[summary.what];
      return found(`${check} of ${name}`, 'warning', anomalySentence(summary), hint);
    });
  } catch (error) {
    return [found(`anomalies of ${name}`, 'failed', error instanceof Error ? error.message : String(error))];
  }
}

function watched(name: string, last: number | undefined, now: number): Finding {
  const check = `recording ${name}`;
  if (last === undefined) return found(check, 'warning', 'nothing has been watched yet');
  if (last - now > LIVENESS_MS) {
    const until = new Date(Math.floor(last / 1000) * 1000).toISOString().replace('.000Z', 'Z');
    return found(
      check,
      'warning',
      `the store was watched until ${until}, which is in the future by the clock of this machine`,
      'see which clock is wrong (the line "clocks" compares with the API server); if it was the recorder\'s, `podtrail store repair` takes it back.',
    );
  }
  if (now - last <= LIVENESS_MS) return found(check, 'ok', 'a recorder is watching');
  return found(
    check,
    'warning',
    `nobody has been watching for ${showDuration(now - last)}`,
    'start `podtrail record` again soon: the API server remembers only minutes.',
  );
}
