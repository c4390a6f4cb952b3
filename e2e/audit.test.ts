// Audit logs of a real API server: every way in which a request about a pod is allowed or refused, as podtrail reads it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type AuditedAction, AuditReader } from '@podtrail/history/audit';
import { auditSchema } from '@podtrail/history/audit/schemas';
import { type CaseLine, caseLines } from './audit/recorded-cases.ts';
import { AuditStage } from './audit/stage.ts';
import { startControlPlane, until } from './controlplane/index.ts';

const ROOT = join(import.meta.dirname, '..');
const RECORDED = join(ROOT, 'packages/history/src/audit/testing/recorded.jsonl');
const PODTRAIL = join(ROOT, 'packages/cli/src/main.ts');
const OWN_CLUSTER = process.env['PODTRAIL_E2E_KUBECONFIG'] === undefined;
const skip = OWN_CLUSTER
  ? false
  : 'needs its own control plane (its programs are stopped, restarted or read from outside), and PODTRAIL_E2E_KUBECONFIG names a given cluster';

let stage: AuditStage | undefined;
let lines: string[] = [];
before(async () => {
  if (!OWN_CLUSTER) return;
  stage = await AuditStage.start();
  await stage.prepare();
  await stage.provokeAll();
  lines = await stage.lines();
});
after(() => stage?.stop());

function actionsIn(events: readonly string[]): AuditedAction[] {
  const actions: AuditedAction[] = [];
  const reader = new AuditReader({ onAction: (action) => actions.push(action) });
  reader.push(Buffer.from(events.map((event) => `${event}\n`).join('')));
  reader.end();
  return actions;
}

/** What does not change from one run to the next. */
function shape({ what, object, actor, outcome, details, admission, dryRun }: AuditedAction) {
  const { message: _, hint: __, ...came } = { message: '', hint: '', ...outcome };
  const known = { name: object.name !== undefined, uid: object.uid !== undefined };
  return {
    what,
    dryRun,
    kind: object.kind,
    ...known,
    user: actor.user,
    by: actor.impersonatedBy,
    came,
    details: Object.keys(details),
    admission,
  };
}

function shapes(all: readonly CaseLine[]): Record<string, unknown> {
  const cases = Map.groupBy(all, (line) => line.case);
  return Object.fromEntries(
    [...cases].map(([name, found]) => [name, actionsIn(found.map(({ event }) => JSON.stringify(event))).map(shape)]),
  );
}

test('every request is read as its recorded like, however it was allowed or refused', { skip }, async () => {
  const recorded = (await readFile(RECORDED, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CaseLine);
  const now = caseLines(stage!, lines);
  assert.deepEqual(answeredOtherwise(now, recorded), []);
  assert.deepEqual(shapes(now), shapes(recorded));
});

/** With what the API server said about it: the shape alone would not show why. */
function answeredOtherwise(now: readonly CaseLine[], recorded: readonly CaseLine[]): string[] {
  const answers = (all: readonly CaseLine[]) =>
    actionsIn(all.map(({ event }) => JSON.stringify(event))).map(({ outcome, what }) => ({ what, ...outcome }));
  const cases = Map.groupBy(now, (line) => line.case);
  return [...Map.groupBy(recorded, (line) => line.case)].flatMap(([name, found]) => {
    const [expected, actual] = [answers(found), answers(cases.get(name) ?? [])];
    const codes = (all: typeof expected) => all.map((one) => ('code' in one ? one.code : one.kind)).join();
    const isSame = codes(expected) === codes(actual);
    return isSame ? [] : [`${name}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
  });
}

test('of every request that was answered there is one action, and no line is damaged', { skip }, async () => {
  const reader = new AuditReader({ onAction: () => {} });
  reader.push(Buffer.from(lines.map((line) => `${line}\n`).join('')));
  reader.end();
  const sentIds = new Set(stage!.provoked.map(({ auditID }) => auditID));
  const found = actionsIn(lines).filter(({ auditID }) => sentIds.has(auditID));
  assert.equal(found.length, stage!.provoked.length);
  assert.equal(reader.tally.damaged, 0);
});

test('podtrail audit prints who drained, who evicted, and whom a budget stopped', { skip }, async () => {
  const podtrail = async (...words: string[]) => {
    const args = [PODTRAIL, 'audit', stage!.plane.apiserver.auditLogFile, ...words];
    return (await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 })).stdout;
  };
  const { actions } = auditSchema.parse(JSON.parse(await podtrail('--verb', 'cordon,evict', '-o', 'json')));
  const drained = actions.filter(({ actor, outcome }) => actor.user === 'admin' && outcome.kind === 'allowed');
  assert.equal(drained[0]?.what, 'cordon');
  assert.ok(drained.slice(1).every(({ what, object }) => what === 'evict' && object.kind === 'Pod'));
  assert.ok(drained.length > 1);
  assert.match(await podtrail('--pod', 'guarded', '--failed'), /jane +refused 429 disruption-budget: guard/);
});

test('the policy of docs/audit.md is one, and keeps the names that the server makes up', { skip }, async () => {
  const [, policy = ''] = /```yaml\n(apiVersion: audit\.k8s\.io\/v1\n[\s\S]*?)```/.exec(
    await readFile(join(ROOT, 'docs/audit.md'), 'utf8'),
  )!;
  await using plane = await startControlPlane({ audit: policy });
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }] };
  const made = await plane.request(pods, { body: { kind: 'Pod', metadata: { generateName: 'web-' }, spec } });
  const { name, uid } = made.json().metadata as { name: string; uid: string };
  const rehearsal = { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'] };
  await plane.request(`${pods}/${name}`, { method: 'DELETE', body: rehearsal });
  await plane.request(`${pods}/${name}`, { method: 'DELETE' });
  const found = await until('the log has them', async () => {
    const text = await readFile(plane.apiserver.auditLogFile, 'utf8');
    const actions = actionsIn(text.split('\n').slice(0, -1)).filter(({ object }) => object.kind === 'Pod');
    return actions.length === 3 && actions;
  });
  assert.deepEqual(
    found.map(({ what, object, outcome }) => [what, object.name, object.uid, outcome.kind]),
    [
      ['create', name, uid, 'allowed'],
      ['delete', name, uid, 'dry-run'],
      ['delete', name, uid, 'allowed'],
    ],
  );
});
