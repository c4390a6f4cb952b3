// That nothing can be forgotten: what a document describes and nobody said how to ask fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DescribedApi, describedRequests, type RequestValues } from './described-requests.ts';

const VALUES: RequestValues = {
  named: {
    subject: { shown: ['web'], hidden: ['safe'], absent: ['none'] },
    namespace: { shown: ['shop'], hidden: ['vault'], absent: ['nowhere'] },
  },
  plain: { limit: ['1'] },
  bodies: { 'POST /rows': [{ type: 'text/csv', text: 'x', query: 'ip=src' }] },
  ofBodies: { 'POST /rows': ['format'] },
};

function get(...parameters: readonly { readonly name: string; readonly required?: boolean }[]): DescribedApi {
  return { paths: { '/list': { get: { parameters } } } };
}

function post(...names: readonly string[]): DescribedApi {
  return { paths: { '/rows': { post: { parameters: names.map((name) => ({ name })), requestBody: {} } } } };
}

test('an optional parameter that names something is asked with what is shown, hidden and absent, in every namespace', () => {
  const urls = describedRequests(get({ name: 'subject' }, { name: 'namespace' }, { name: 'limit' }), VALUES).map(
    ({ url }) => url,
  );
  for (const namespace of ['', 'namespace=shop', 'namespace=vault', 'namespace=nowhere']) {
    for (const more of ['', 'subject=web', 'subject=safe', 'subject=none', 'limit=1']) {
      const query = [namespace, more].filter((part) => part !== '').join('&');
      assert.ok(urls.includes(query === '' ? '/list' : `/list?${query}`), query);
    }
  }
  assert.equal(urls.length, 20);
});

test('a parameter that nobody said how to ask with fails, whether or not it is required, with or without a body', () => {
  for (const required of [true, false])
    assert.throws(
      () => describedRequests(get({ name: 'owner', required }), VALUES),
      /^Error: owner of GET \/list is new/,
    );
  assert.equal(describedRequests(post('ip', 'format'), VALUES).length, 1);
  assert.throws(() => describedRequests(post('ip', 'owner'), VALUES), /^Error: owner of POST \/rows is new/);
  assert.throws(
    () => describedRequests({ paths: { '/other': { post: { requestBody: {} } } } }, VALUES),
    /body of POST/,
  );
});

test('so does one of which nothing is hidden, or nothing absent', () => {
  for (const which of ['shown', 'hidden', 'absent'] as const) {
    const subject = { ...VALUES.named['subject'], [which]: [] } as RequestValues['named'][string];
    const values = { ...VALUES, named: { ...VALUES.named, subject } };
    assert.throws(() => describedRequests(get({ name: 'subject' }), values), new RegExp(`subject that is ${which}`));
  }
});
