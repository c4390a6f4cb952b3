// Who may see some namespaces learns how its pods ended, and nothing of anybody else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../engines/testing/record-builders.ts';
import { ALL_VISIBLE, type Visibility } from '../query/visibility.ts';
import { CAUSES } from './cause.ts';
import { explain } from './explain.ts';
import { aCase, disrupted, END, event, evidence, NODE, object, POD } from './testing/case-builders.ts';
import { visibleVerdict } from './visible-verdict.ts';

const SHOP_ONLY: Visibility = { kind: 'namespaces', since: new Map([['shop', at(-10_000)]]) };
const preempted = (related: typeof POD) =>
  evidence(POD, 'event', END, { reason: 'Preempted', by: 'default-scheduler', message: 'Preempted by pod x', related });

test('who may see everything gets the verdict as it is', () => {
  const verdict = explain(aCase(disrupted('EvictionByEvictionAPI'), { node: [evidence(NODE, 'cordoned', 900)] }));
  assert.equal(visibleVerdict(verdict, [], ALL_VISIBLE), verdict);
});

test('a preemptor of another namespace is hidden, with the event that names it', () => {
  const said = preempted(object('Pod', 'secret', { namespace: 'bank' }));
  const verdict = explain(aCase(disrupted('PreemptionByScheduler'), { pod: [said] }));
  assert.match(JSON.stringify(verdict), /secret/);
  assert.deepEqual(visibleVerdict(verdict, [said], SHOP_ONLY), {
    ...{ cause: 'Preempted', certainty: 'certain', evidence: [] },
    sentence: 'was preempted to make room for a higher priority.',
  });
});

test('evidence about the own namespace is kept, that about nodes and from the audit log is not', () => {
  const own = preempted(object('Pod', 'big-1'));
  const nameless = { ...event(POD, 'default-scheduler', 'Preempted', END, 'Preempted by pod 123'), id: 'nameless' };
  const all = [own, nameless, evidence(NODE, 'cordoned', 900), evidence(POD, 'audited', END, { by: 'alice' })];
  const verdict = { ...explain(aCase(disrupted('PreemptionByScheduler'))), evidence: all.map(({ id }) => id) };
  assert.deepEqual(visibleVerdict(verdict, all, SHOP_ONLY).evidence, [own.id]);
});

test('what was said before the namespace that stands now was made is hidden', () => {
  const own = preempted(object('Pod', 'big-1'));
  const verdict = explain(aCase(disrupted('PreemptionByScheduler'), { pod: [own] }));
  const later: Visibility = { kind: 'namespaces', since: new Map([['shop', at(END + 1)]]) };
  assert.deepEqual(visibleVerdict(verdict, [own], later).evidence, []);
});

test('every cause has a sentence without a name', () => {
  for (const cause of CAUSES) {
    const verdict = { cause, certainty: 'certain', sentence: 'by alice.', evidence: [], actor: 'alice' } as const;
    const { sentence, actor } = visibleVerdict(verdict, [], SHOP_ONLY);
    assert.match(sentence, /^[a-z][^"]*\.$/);
    assert.doesNotMatch(sentence, /alice/);
    assert.equal(actor, undefined);
  }
});
