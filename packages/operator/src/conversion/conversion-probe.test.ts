import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type Client, ConnectionError } from '@podtrail/machinery';
import { isConversionSilent } from './conversion-probe.ts';

const late = new ConnectionError('timeout', 'no complete answer within 4000 ms');
const status = (code: number) => new ApiError(code, { message: 'no' }, undefined);

/** What each version answers for one tracker, one after the other; undefined is the tracker. */
function server(answers: Record<string, (Error | undefined)[]>, names = ['web']) {
  const asked: string[] = [];
  const get = async (version: string, name: string) => {
    asked.push(`${version} ${name}`);
    const answer = answers[version]?.shift();
    if (answer !== undefined) throw answer;
  };
  const list = async () => ({ items: names.map((name) => ({ metadata: { name } })) });
  const resource = ({ version }: { version: string }) => ({ list, get: (name: string) => get(version, name) });
  return { client: { resource } as unknown as Client, asked };
}

const CASES: Record<string, [Record<string, (Error | undefined)[]>, boolean]> = {
  'an answer is none': [{}, false],
  'no answer, twice, is one': [{ v1alpha1: [late, late] }, true],
  'a server that gave up itself, twice, is one': [{ v1alpha1: [status(504), status(504)] }, true],
  'no answer once is none': [{ v1alpha1: [late, undefined] }, false],
  'a server that does not answer for v1 either is slow, and says nothing': [{ v1alpha1: [late], v1: [late] }, false],
  'a refusal is none, nor is a webhook that nobody listens at': [{ v1alpha1: [status(500)] }, false],
  'v1alpha1 that is not served yet is none': [{ v1alpha1: [status(404)] }, false],
};

for (const [what, [answers, expected]] of Object.entries(CASES)) {
  test(`silence: ${what}`, async () => {
    const { client } = server(answers);
    assert.equal(await isConversionSilent(client, new AbortController().signal), expected);
  });
}

test('whoever ends meanwhile is no silence', async () => {
  const { client, asked } = server({ v1alpha1: [late] });
  await assert.rejects(isConversionSilent(client, AbortSignal.abort(new Error('over'))), /over/);
  assert.deepEqual(asked, ['v1alpha1 web']);
});

test('without a tracker there is nobody who would wait', async () => {
  const { client, asked } = server({ v1alpha1: [late, late] }, []);
  assert.equal(await isConversionSilent(client, new AbortController().signal), false);
  assert.deepEqual(asked, []);
});
