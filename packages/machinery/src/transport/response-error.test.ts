// What a refusal tells the caller, whoever wrote it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodeStatus } from '../testing/protobuf-writer.ts';
import { statusBody } from '../testing/scripted-server.ts';
import { responseError, retryAfter } from './response-error.ts';

const NOW = Date.UTC(2026, 0, 1);
const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF = { 'content-type': 'application/vnd.kubernetes.protobuf' };
const HTML = { 'content-type': 'text/html; charset=utf-8' };

function refusal(status: number, headers: Record<string, string>, body: string | Buffer) {
  return responseError(status, headers, Buffer.from(body as string), 'GET /x', NOW);
}

const STATUS = {
  message: 'pods "a" not found',
  reason: 'NotFound',
  details: { name: 'a', kind: 'pods', causes: [{ reason: 'Gone', field: 'x', message: 'y' }] },
};

for (const [format, headers, body] of [
  ['JSON', JSON_TYPE, Buffer.from(JSON.stringify({ ...statusBody(404, '', ''), ...STATUS }))],
  ['protobuf', PROTOBUF, encodeStatus({ ...STATUS, code: 404 })],
] as const) {
  test(`a Status in ${format} gives code, reason, message and details`, () => {
    const error = responseError(404, headers, body, 'GET /x', NOW);
    assert.deepEqual([error.status, error.reason, error.code], [404, 'NotFound', 'api-not-found']);
    assert.equal(error.message, 'GET /x: pods "a" not found');
    assert.equal(error.details?.name, 'a');
    assert.deepEqual(error.details?.causes, STATUS.details.causes);
  });
}

test('the page of a load balancer becomes its text', () => {
  const page = `<!DOCTYPE html><html><head><style>h1 { color: red }</style><title>502 Bad Gateway</title></head>
    <body><center><h1>502 Bad Gateway</h1></center><hr><script>track("<p>")</script><center>nginx</center></body></html>`;
  for (const headers of [HTML, {}]) {
    assert.equal(refusal(502, headers, page).message, 'GET /x: 502 Bad Gateway 502 Bad Gateway nginx');
  }
});

test('a long foreign text is cut, and control characters do not reach the message', () => {
  const error = refusal(500, {}, `\u001b[31mred\u0007\r\n${'x'.repeat(5000)}`);
  assert.match(error.message, /^GET \/x: \[31mred x+…$/);
  assert.ok(error.message.length < 320);
});

test('hostile markup costs no time', () => {
  for (const part of ['<style ', '<', '<script>', '<a <a ']) {
    const started = performance.now();
    refusal(500, HTML, part.repeat(200_000));
    assert.ok(performance.now() - started < 1000, part);
  }
});

test('JSON that is no Status is shown as it is', () => {
  assert.equal(refusal(401, JSON_TYPE, '{"error":"expired"}').message, 'GET /x: {"error":"expired"}');
  assert.equal(refusal(500, JSON_TYPE, 'null').message, 'GET /x: null');
});

test('a Status with fields of a wrong type, and bytes that are no protobuf, are no reason to fail', () => {
  assert.equal(refusal(500, JSON_TYPE, '{"kind":"Status","message":7}').status, 500);
  assert.match(refusal(500, PROTOBUF, 'upstream is away').message, /upstream is away/);
});

test('without a body the status speaks', () => {
  const error = refusal(504, {}, '');
  assert.equal(error.message, 'GET /x: the server answered 504 without a reason');
  assert.equal(error.code, 'api-504');
});

test('401 and 403 carry a hint', () => {
  assert.match(refusal(401, {}, '').hint ?? '', /log in again/);
  assert.match(refusal(403, {}, '').hint ?? '', /Role/);
});

describe('Retry-After', () => {
  const table: Record<string, readonly [string | string[] | undefined, number | undefined]> = {
    'seconds are taken': ['5', 5000],
    'zero is taken': ['0', 0],
    'spaces do not matter': [' 5 ', 5000],
    'an HTTP date is taken as a distance': [new Date(NOW + 90_000).toUTCString(), 90_000],
    'a date that has passed means now': [new Date(NOW - 90_000).toUTCString(), 0],
    'a negative number is not taken': ['-5', undefined],
    'a word is not taken': ['soon', undefined],
    'nothing is nothing': ['', undefined],
    'several values are not taken': [['1', '2'], undefined],
    'absent is nothing': [undefined, undefined],
  };
  for (const [name, [value, expected]] of Object.entries(table)) {
    test(name, () => assert.equal(retryAfter({ 'retry-after': value }, NOW), expected));
  }
});
