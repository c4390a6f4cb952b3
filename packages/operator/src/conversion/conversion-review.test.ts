import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closing, convertedObjects, failureOf, headOf, opening, type ReviewResult } from './conversion-review.ts';
import { ReviewFault, ReviewSplitter } from './review-splitter.ts';

interface Answer {
  response: {
    uid: string;
    result: ReviewResult;
    convertedObjects: { apiVersion: string; metadata: { name: string } }[];
  };
}

/** As the server does it, with the body in chunks of a few bytes. Undefined if it is no review. */
function answerReview(review: unknown): Answer | undefined {
  const bytes = Buffer.from(JSON.stringify(review) ?? '');
  const splitter = new ReviewSplitter();
  try {
    for (let i = 0; i < bytes.length; i += 7) splitter.push(bytes.subarray(i, i + 7));
    const split = splitter.end();
    const textOf = ({ start, end }: { start: number; end: number }) => bytes.toString('utf8', start, end);
    const head = headOf(split, textOf);
    try {
      const objects = [...convertedObjects(split, head, textOf)];
      return JSON.parse(opening(head) + objects.join(',') + closing({ status: 'Success' })) as Answer;
    } catch (error) {
      return JSON.parse(opening(head) + closing(failureOf(error))) as Answer;
    }
  } catch (error) {
    assert.ok(error instanceof ReviewFault, String(error));
    return undefined;
  }
}

const review = (desiredAPIVersion: string, ...objects: unknown[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'r-1', desiredAPIVersion, objects },
});
const v1 = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name: 'a' }, spec: { namespaces: ['x'] } };

test('every object is converted, in order, and the request is named', () => {
  const answer = answerReview(review('podtrail.dev/v1alpha1', v1, { ...v1, metadata: { name: 'b' } }));
  assert.equal(answer?.response.uid, 'r-1');
  assert.deepEqual(answer?.response.result, { status: 'Success' });
  assert.deepEqual(
    answer?.response.convertedObjects?.map(({ apiVersion, metadata }) => [apiVersion, metadata.name]),
    [
      ['podtrail.dev/v1alpha1', 'a'],
      ['podtrail.dev/v1alpha1', 'b'],
    ],
  );
});

test('an object of the wanted version is left as it is', () => {
  assert.deepEqual(answerReview(review('podtrail.dev/v1', v1))?.response.convertedObjects, [v1]);
});

test('an unknown version or kind fails as a whole, with a sentence', () => {
  const unknown = answerReview(review('podtrail.dev/v2', v1))?.response;
  assert.deepEqual(unknown?.convertedObjects, []);
  assert.match(JSON.stringify(unknown?.result), /a cannot be converted from podtrail.dev\/v1 to podtrail.dev\/v2/);
  const slice = answerReview(review('podtrail.dev/v1', v1, { ...v1, kind: 'Pod' }))?.response;
  assert.match(JSON.stringify(slice?.result), /Failed.*this is a Pod/);
});

test('an object that makes no valid v1 fails with a sentence that says what to do, and never with a fault of ours', () => {
  const old = { ...v1, apiVersion: 'podtrail.dev/v1alpha1', spec: {} };
  const annotated = (residue: string) => ({
    ...old,
    metadata: { name: 'a', annotations: { 'podtrail.dev/v1': residue } },
  });
  const asked = (object: unknown) => JSON.stringify(answerReview(review('podtrail.dev/v1', object))?.response.result);
  assert.match(
    asked(annotated('{"namespace":null,"diff":{"spec":{"namespaces":"abc"}}}')),
    /Failed.*a cannot be v1: with what its annotation podtrail.dev\/v1 says, spec.namespaces.*; write the tracker as/,
  );
  assert.match(asked(annotated('{"diff":{"spec":null}}')), /Success/);
  assert.match(asked({ ...old, status: { podIPs: [null] } }), /Failed.*it is shaped as no PodTracker is/);
});

test('what is no review is not answered', () => {
  for (const body of [undefined, null, 1, {}, [], { kind: 'ConversionReview', request: null }]) {
    assert.equal(answerReview(body), undefined, JSON.stringify(body));
  }
});

test('an object of a review that is none fails with a sentence', () => {
  for (const object of [null, 1, 'x', [], {}, { metadata: null }])
    assert.match(
      JSON.stringify(answerReview(review('podtrail.dev/v1', object))),
      /an object of the review has no metadata/,
    );
});
