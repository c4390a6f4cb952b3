// Looks at what the store has of the audit log: without it causes do not name who did it, and nothing is wrong; where a
// part of it was lost, somebody should know.
import { type Engine, type Evidence, epochMillis, type Snapshot, withSnapshot } from '@podtrail/history';
import { showDuration } from '../times/duration.ts';
import { toUtcText } from '../times/show-time.ts';
import { type Finding, found } from './finding.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PAGE = 500;
const MOST_PAGES = 8;

export async function checkAudit(engine: Engine, id: string, name: string, now: number): Promise<Finding> {
  const check = `audit log of ${name}`;
  const { last, lost } = await withSnapshot(engine, id, async (snapshot) => ({
    last: await lastEntry(snapshot, now),
    lost: await lastLoss(snapshot, now),
  }));
  if (lost !== undefined)
    return found(
      check,
      'warning',
      `a part of it was lost from ${toUtcText(lost.at)} on: causes of that time may not name who did it`,
      'API servers sent more than could be taken: lower the level of the audit policy; see podtrail_audit_requests_total and docs/audit.md. `podtrail import --audit-log` of the same log adds what is missing.',
    );
  if (last === undefined)
    return found(check, 'ok', 'no entry within the last hour: causes do not name people', 'docs/audit.md has how to.');
  return found(
    check,
    'ok',
    `causes name who did it; the last entry is from ${showDuration(Math.max(0, now - last))} ago`,
  );
}

async function lastEntry(snapshot: Snapshot, now: number): Promise<number | undefined> {
  const span = { from: epochMillis(now - HOUR_MS), to: epochMillis(now + 1) };
  let last: number | undefined;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const read = await snapshot.occurrences({ kind: 'evidence', span, page: { limit: PAGE, cursor } });
    for (const { what, at } of read.items) if (what === 'audited') last = Math.max(last ?? 0, at);
    cursor = read.cursor;
    if (cursor === undefined) break;
  }
  return last;
}

async function lastLoss(snapshot: Snapshot, now: number): Promise<Evidence | undefined> {
  const { items } = await snapshot.occurrences({
    ...{ kind: 'evidence', subject: { by: 'name', namespace: '', name: 'audit' }, page: { limit: PAGE } },
    span: { from: epochMillis(now - DAY_MS), to: epochMillis(now + 1) },
  });
  return items.findLast(({ about, what }) => about.kind === 'Stream' && what === 'stream-lost');
}
