import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parameters } from '../../address/page-address.ts';
import {
  laneKind,
  movesQuestion,
  subjectChanges,
  subjectText,
  timelineQuestion,
  trailCommand,
  trailParameters,
} from './trail-question.ts';

const view = { from: Date.parse('2026-11-15T10:00:00Z'), to: Date.parse('2026-11-15T11:00:00Z') };

test('lanes are what the URL says, or what answers most about the subject', () => {
  assert.equal(laneKind({}), 'node');
  assert.equal(laneKind({ by: 'ip' }), 'ip');
  assert.equal(laneKind({ by: 'nonsense' }), 'node');
  assert.equal(laneKind({ subject: 'deploy/cart' }), 'pod');
  assert.equal(laneKind({ subject: '10.0.0.7' }), 'ip');
  assert.equal(laneKind({ subject: 'fd00::7' }), 'ip');
  assert.equal(laneKind({ subject: 'svc/cart' }), 'ip');
  assert.equal(laneKind({ node: 'node-a' }), 'pod');
});

test('a node that somebody types is a node', () => {
  assert.deepEqual(subjectChanges(' node/a '), { subject: undefined, by: undefined, selected: undefined, node: 'a' });
  assert.equal(subjectChanges('deploy/cart')['subject'], 'deploy/cart');
  assert.equal(subjectChanges('  ')['subject'], undefined);
  assert.equal(subjectText({ node: 'a' }), 'node/a');
});

test('the question has absolute times', () => {
  assert.deepEqual(timelineQuestion({ subject: 'web-1', namespace: 'shop', selected: 'x' }, view), {
    ...{ by: 'pod', since: '2026-11-15T10:00:00.000Z', until: '2026-11-15T11:00:00.000Z' },
    ...{ subject: 'web-1', namespace: 'shop', node: undefined, cluster: undefined, most: undefined },
  });
});

test('the command asks the same', () => {
  const times = '--since 2026-11-15T10:00:00.000Z --until 2026-11-15T11:00:00.000Z';
  assert.equal(
    trailCommand({ subject: 'deploy/cart', namespace: 'shop' }, view),
    `podtrail trail deploy/cart -n shop ${times}`,
  );
  assert.equal(trailCommand({ node: 'node-a' }, view), `podtrail node node-a ${times}`);
  assert.equal(trailCommand({}, view), undefined, 'no command shows all nodes at once');
});

test('only the ends of who is shown are asked for', () => {
  const asked = (parameters: Parameters) => {
    const { subject, fromNode, namespace } = movesQuestion(parameters, { since: 'a', until: 'b' });
    return [subject, fromNode, namespace];
  };
  assert.deepEqual(asked({}), [undefined, undefined, undefined]);
  assert.deepEqual(asked({ node: 'node-a' }), [undefined, 'node-a', undefined]);
  assert.deepEqual(asked({ subject: 'deploy/cart', namespace: 'shop' }), ['deploy/cart', undefined, 'shop']);
  assert.deepEqual(asked({ subject: '10.0.0.7' }), [undefined, undefined, undefined], 'an address does not end');
});

test('a node as a subject is shown as that node', () => {
  assert.deepEqual(trailParameters({ subject: 'node/a', since: '1h' }), { node: 'a', since: '1h' });
  assert.deepEqual(trailParameters({ subject: 'web-1' }), { subject: 'web-1' });
});
