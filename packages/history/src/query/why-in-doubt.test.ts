import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Boundary, Source } from '../model/boundary.ts';
import type { Holder, Placement } from '../model/records.ts';
import { epochMillis, NOT_KNOWN_YET } from '../model/time.ts';
import type { AnsweredHolder } from './answer.ts';
import { type DoubtCode, type DoubtContext, dependsOnPlacement, doubtText, whyInDoubt } from './why-in-doubt.ts';

const WEB: Holder = {
  ...{ kind: 'Pod', namespace: 'shop', name: 'web-1', uid: 'u1', node: 'node-a' },
  workload: undefined,
  hostNetwork: false,
};

/** Seconds; `seen` is when it was observed. */
function bound(from: number, to: number, seen: number, more: { source?: Source; version?: string } = {}): Boundary {
  const { source = 'watch', version = String(seen) } = more;
  const notAfter = to === Number.POSITIVE_INFINITY ? NOT_KNOWN_YET : epochMillis(to * 1000);
  const notBefore = epochMillis(from * 1000);
  return {
    ...{ at: notBefore, notBefore, notAfter, source, epoch: 1, resourceVersion: version },
    ...{ observedAt: epochMillis(seen * 1000), collector: 'c' },
  };
}

const NEVER = Number.POSITIVE_INFINITY;
const EXACT = bound(10, 11, 12);
const pod = (start: Boundary, end?: Boundary): AnsweredHolder => ({ ...WEB, start, end });
const placed = (end?: Boundary): Placement => ({ pod: WEB, start: EXACT, end });

interface Row {
  readonly candidate: AnsweredHolder;
  readonly at: number;
  readonly context?: DoubtContext;
  readonly code: DoubtCode;
  readonly text: RegExp;
}

const deleted = bound(50, NEVER, 51);
const settled = bound(50, 56.5, 51);
const ended = bound(50, 51, 51);

const TABLE: Readonly<Record<string, Row>> = {
  'a node': {
    candidate: { ...WEB, kind: 'Node', start: EXACT, end: undefined },
    ...{ at: 20, code: 'node-address', text: /host network of its node$/ },
  },
  'a pod on the network of its node': {
    candidate: { ...WEB, hostNetwork: true, start: EXACT, end: undefined },
    ...{ at: 20, code: 'node-address', text: /host network of its node$/ },
  },
  'a pod that an import named': {
    candidate: pod(bound(10, 10, 90, { source: 'import' })),
    ...{ at: 10, code: 'imported', text: /an import, which shows one instant$/ },
  },
  'a pod that never showed an address': {
    candidate: pod(bound(10, NEVER, 12), deleted),
    ...{ at: 20, context: { neverShown: true }, code: 'address-never-shown', text: /^never showed which address/ },
  },
  'a pod that showed the address of its sandbox before': {
    candidate: pod(bound(10, NEVER, 12)),
    ...{ at: 20, code: 'address-not-proven', text: /may have been the address of its sandbox before$/ },
  },
  'the seconds in which a network came up': {
    candidate: pod(EXACT),
    ...{ at: 10.5, code: 'start-not-exact', text: /^got it at some time from .*00:10.000Z to .*00:11.000Z$/ },
  },
  'a pod that was there when recording began': {
    candidate: pod(bound(10, 30, 30, { source: 'list' })),
    ...{ at: 20, code: 'start-not-seen', text: /^had it when it was first listed, and got it at some time from / },
  },
  'deleted by force, and its kubelet has said nothing': {
    ...{ candidate: pod(EXACT, deleted), at: 60, context: { placement: placed(deleted) } },
    code: 'deleted-not-confirmed',
    text: /^was deleted, at .*00:50.000Z at the earliest, before its kubelet confirmed its end, and nothing says yet that its network is gone$/,
  },
  'deleted by force, and its kubelet has gone on since': {
    ...{ candidate: pod(EXACT, settled), at: 53, context: { placement: placed(settled) } },
    code: 'deleted-not-confirmed',
    text: /^was deleted, at .*, and its network was gone by .*00:56.500Z$/,
  },
  'ended by a controller, then deleted: two words, one release': {
    candidate: pod(EXACT, settled),
    ...{ at: 53, context: { placement: placed(bound(52, 56.5, 53)) }, code: 'deleted-not-confirmed', text: /./ },
  },
  'a sandbox that was killed under a pod that goes on': {
    ...{ candidate: pod(EXACT, bound(50, NEVER, 51)), at: 60, context: { placement: placed() } },
    ...{ code: 'sandbox-lost', text: /^lost its sandbox, at .*, and nothing says yet/ },
  },
  'a sandbox that was replaced; its pod ended much later': {
    ...{ candidate: pod(EXACT, ended), at: 50.5, context: { placement: placed(bound(90, 91, 91)) } },
    ...{ code: 'sandbox-lost', text: /its network was gone by .*00:51.000Z$/ },
  },
  'the kubelet ended it, to the second': {
    ...{ candidate: pod(EXACT, ended), at: 50.5, context: { placement: placed(ended) } },
    ...{ code: 'end-not-exact', text: /^let go of it at some time from .* to / },
  },
  'its node has booted, and nobody saw its sandbox go': {
    candidate: pod(EXACT, bound(50, 66, 65, { source: 'inferred' })),
    ...{
      at: 60,
      context: { placement: placed(bound(66, 67, 67)) },
      code: 'sandbox-lost',
      text: /gone by .*01:06.000Z$/,
    },
  },
  'a listing lacked it after a gap': {
    candidate: pod(EXACT, bound(50, 80, 80, { source: 'inferred' })),
    context: { placement: placed(bound(50, 80, 80, { source: 'inferred' })) },
    ...{ at: 60, code: 'end-not-seen', text: /^was not seen to end: at some time from / },
  },
  'a listing lacked it, and its node is silent': {
    candidate: pod(EXACT, bound(50, NEVER, 80, { source: 'inferred' })),
    ...{ at: 60, code: 'end-not-seen', text: /^was last seen at .*, and nothing says yet/ },
  },
  'its place was not read, and the end is open': {
    ...{ candidate: pod(EXACT, deleted), at: 60 },
    ...{ code: 'end-not-confirmed', text: /^was last reported at .*, and nothing says yet/ },
  },
  'its place was not read, and the end is bounded': {
    ...{ candidate: pod(EXACT, ended), at: 50.5, code: 'end-not-exact', text: /^let go of it/ },
  },
  'two showed it, and nothing of this one is in doubt': {
    ...{ candidate: pod(EXACT), at: 20, code: 'several-showed-it', text: /^showed it while another did, too$/ },
  },
};

for (const [sentence, { candidate, at, context, code, text }] of Object.entries(TABLE)) {
  test(`why in doubt: ${sentence}: ${code}`, () => {
    const why = whyInDoubt(candidate, epochMillis(at * 1000), context);
    assert.equal(why.code, code);
    assert.match(doubtText(why), text);
  });
}

test('a placement that is not asked for would have changed nothing', () => {
  let asked = 0;
  for (const { candidate, at, context = {} } of Object.values(TABLE)) {
    const instant = epochMillis(at * 1000);
    if (dependsOnPlacement(candidate, instant, context)) {
      asked++;
      continue;
    }
    const without = whyInDoubt(candidate, instant, { ...context, placement: undefined });
    for (const placement of [placed(), placed(ended), placed(deleted)])
      assert.deepEqual(whyInDoubt(candidate, instant, { ...context, placement }), without);
  }
  assert.ok(asked > 0);
});
