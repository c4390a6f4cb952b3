import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import type { Span } from '../../snapshot.ts';
import { aTenure, at, tenureFact } from '../../testing/record-builders.ts';
import { InThreadEngine } from '../testing/in-thread-engine.ts';
import { Head } from './head.ts';
import { HeadReader } from './head-read.ts';
import { lookupOf } from './lookup.ts';

const path = join(scratchDirectory('secondary-index'), 'store.db');
const CLUSTER = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
const OURS = lookupOf({ by: 'workload', namespace: 'shop', kind: 'Deployment', name: 'web' });
const SPAN: Span = { from: at(0), to: at(1000) };
const PODS = 200;

test('an index of which a part could not be read once is looked through again: nothing is left out', async (t) => {
  const engine = new InThreadEngine({ path, access: 'write' });
  const tenures = Array.from({ length: PODS }, (_, i) => aTenure(`10.0.${i}.1`, `web-${i}`, i));
  await (await engine.takeOver(CLUSTER)).append({ facts: tenures.map(tenureFact) });
  await engine.close();
  const head = new Head(path, 'read');
  const reader = new HeadReader(head);
  const group = head.index.group.bind(head.index);
  let failures = 0;
  t.mock.method(head.index, 'group', (...asked: Parameters<typeof group>) => {
    const [, , number] = asked;
    if (number === 40 && ++failures === 1) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    return group(...asked);
  });
  const ask = () => head.read(() => [...reader.tenures(1, OURS, SPAN)].length);
  assert.throws(ask, /disk I\/O error/);
  assert.equal(ask(), PODS);
  head.close();
});
