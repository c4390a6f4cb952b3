import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type Client } from '@podtrail/machinery';
import { checkHistory } from './check-history.ts';

interface World {
  /** Of the APIService; a number: the status of the refusal. */
  readonly service: object | number;
  /** Of the group itself. */
  readonly group?: number;
  readonly refused?: readonly string[];
  readonly reviews?: number;
}

function aClient({ service, group = 200, refused = [], reviews = 201 }: World): Client {
  const answer = (status: number, document: unknown) => {
    if (status >= 400) throw new ApiError(status, { message: `status ${status}` }, undefined);
    return { status, headers: {}, body: Buffer.from(JSON.stringify(document)) };
  };
  return {
    raw: async ({ path, body = '{}' }: { path: string; body?: string }) => {
      if (path.includes('/apiservices/'))
        return typeof service === 'number' ? answer(service, {}) : answer(200, service);
      if (path.endsWith('/subjectaccessreviews')) {
        const { user, resourceAttributes } = JSON.parse(body).spec;
        assert.equal(user, 'system:serviceaccount:podtrail:podtrail-operator');
        return answer(reviews, { status: { allowed: !refused.includes(resourceAttributes.resource) } });
      }
      return answer(group, {});
    },
  } as unknown as Client;
}

const registered = (status: string, message = '') => ({
  spec: { service: { namespace: 'podtrail', name: 'podtrail-history' } },
  status: { conditions: [{ type: 'Available', status, message }] },
});

test('a cluster without the history API is in order; what cannot be looked at is skipped', async () => {
  const [absent, ...none] = await checkHistory(aClient({ service: 404 }));
  assert.deepEqual([absent?.result, none.length], ['skipped', 0]);
  assert.match(absent?.hint ?? '', /--history/);
  assert.equal((await checkHistory(aClient({ service: 403 })))[0]?.result, 'skipped');
  assert.equal((await checkHistory(aClient({ service: 500 })))[0]?.result, 'failed');
  const rights = (await checkHistory(aClient({ service: registered('True'), reviews: 403 })))[1];
  assert.equal(rights?.result, 'skipped');
});

test('an API that answers, with all rights, is ok', async () => {
  const findings = await checkHistory(aClient({ service: registered('True') }));
  assert.deepEqual(
    findings.map(({ check, result }) => [check, result]),
    [
      ['history API', 'ok'],
      ['history API rights', 'ok'],
    ],
  );
});

test('an API that API servers cannot reach, or that does not answer, has failed, with how to take it back', async () => {
  const [silent] = await checkHistory(aClient({ service: registered('False', 'connection refused') }));
  assert.equal(silent?.result, 'failed');
  assert.match(silent?.detail ?? '', /podtrail\/podtrail-history: connection refused/);
  assert.match(silent?.hint ?? '', /NetworkPolicy.*kubectl delete apiservice v1\.history\.podtrail\.dev/);
  const [broken] = await checkHistory(aClient({ service: registered('True'), group: 503 }));
  assert.deepEqual([broken?.result, /does not answer: status 503/.test(broken?.detail ?? '')], ['failed', true]);
});

test('each right that the operator lacks is named, with what goes wrong without it', async () => {
  const refused = ['tokenreviews', 'subjectaccessreviews', 'configmaps', 'apiservices'];
  const [, rights] = await checkHistory(aClient({ service: registered('True'), refused }));
  assert.equal(rights?.result, 'failed');
  for (const text of ['no token is believed', 'nobody sees anything', 'kubectl is answered 401', 'not renewed'])
    assert.ok(rights?.detail.includes(text), text);
  assert.match(rights?.hint ?? '', /ClusterRole podtrail-history/);
});
