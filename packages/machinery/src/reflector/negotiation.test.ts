import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Negotiation } from './negotiation.ts';

const fresh = () => new Negotiation({ streaming: true, protobuf: true });

test('two streamed listings that failed in a row are followed by one listing by pages', () => {
  const negotiation = fresh();
  negotiation.streamFailed();
  assert.equal(negotiation.nextListing(), 'stream');
  negotiation.streamFailed();
  assert.deepEqual([negotiation.nextListing(), negotiation.nextListing()], ['pages', 'stream']);
});

test('a listing that succeeds makes the next failed stream the first one again', () => {
  const negotiation = fresh();
  negotiation.streamFailed();
  negotiation.listed();
  negotiation.streamFailed();
  assert.equal(negotiation.nextListing(), 'stream');
});

test('a server that does not serve streamed listings is not asked for one again', () => {
  const negotiation = fresh();
  negotiation.streamingUnserved();
  negotiation.listed();
  assert.equal(negotiation.nextListing(), 'pages');
});

test('the second decode failure in a row asks for JSON, the fourth for a listing; an event in between starts over', () => {
  const negotiation = fresh();
  assert.deepEqual([negotiation.decodeFailed(), negotiation.protobuf], [false, true]);
  assert.deepEqual([negotiation.decodeFailed(), negotiation.protobuf], [false, false]);
  assert.equal(negotiation.decodeFailed(), false);
  negotiation.received();
  for (const expected of [false, false, false, true]) assert.equal(negotiation.decodeFailed(), expected);
});

test('the third refusal in a row asks for a listing; an event in between starts over', () => {
  const negotiation = fresh();
  assert.deepEqual([negotiation.watchRefused(), negotiation.watchRefused()], [false, false]);
  negotiation.received();
  for (const expected of [false, false, true, false]) assert.equal(negotiation.watchRefused(), expected);
});
