// Looks at the store: is it there, can it be read, is somebody watching.
import type { Engine, SizeLimit } from '@podtrail/history';
import type { Surroundings } from '../surroundings.ts';
import { showDuration } from '../times/duration.ts';
import { lastOf } from '../views/watched.ts';
import { checkRoom } from './check-room.ts';
import { type Finding, found, looked } from './finding.ts';

const SILENT_MS = 5000;

export async function checkStore(url: string, limit: SizeLimit, surroundings: Surroundings): Promise<Finding[]> {
  let engine: Engine;
  try {
    engine = await surroundings.openStore(url, 'read');
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
    findings.push(await looked('room', () => checkRoom(engine, limit, surroundings.clock.now())));
    for (const { id, name } of await engine.clusters()) {
      findings.push(
        await looked(`recording ${name}`, async () =>
          watched(name, lastOf(await engine.coverage(id)), surroundings.clock.now()),
        ),
      );
    }
    return findings;
  } finally {
    await engine.close();
  }
}

function watched(name: string, last: number | undefined, now: number): Finding {
  const check = `recording ${name}`;
  if (last === undefined) return found(check, 'warning', 'nothing has been watched yet');
  if (now - last <= SILENT_MS) return found(check, 'ok', 'a recorder is watching');
  return found(
    check,
    'warning',
    `nobody has been watching for ${showDuration(now - last)}`,
    'start `podtrail record` again soon: the API server remembers only minutes.',
  );
}
