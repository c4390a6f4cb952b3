import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ReviewFault, ReviewSplitter } from './review-splitter.ts';

const seed = 20_261;

interface Split {
  readonly kind: string;
  readonly uid: string;
  readonly desired: string;
  readonly objects: string[];
}

function split(body: string | Buffer, step = 1 << 16): Split {
  const bytes = Buffer.from(body);
  const splitter = new ReviewSplitter();
  for (let i = 0; i < bytes.length; i += step) splitter.push(bytes.subarray(i, i + step));
  const { kind, uid, desiredAPIVersion, objects } = splitter.end();
  const [a, b, c, ...rest] = [kind, uid, desiredAPIVersion, ...objects].map(({ start, end }) =>
    bytes.toString('utf8', start, end),
  );
  return { kind: a ?? '', uid: b ?? '', desired: c ?? '', objects: rest };
}

const fault = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ReviewFault && error.status === status && message.test(error.message);

test(`whatever JSON the objects are, in whatever order and chunks, each is found as it was written (seed ${seed})`, () => {
  fc.assert(
    fc.property(
      fc.array(fc.json({ maxDepth: 4 }), { maxLength: 6 }),
      fc.constantFrom(0, 1, 2, 3),
      fc.boolean(),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom('', ' ', '\n\t '),
      (objects, turn, first, step, space) => {
        const fields = ['"uid":"u-1"', `"objects":${space}[${objects.join(`,${space}`)}]`, '"desiredAPIVersion":"v"'];
        fields.push('"other":{"objects":[1,{"kind":"x"}],"kind":"y"}');
        const turned = [...fields.slice(turn), ...fields.slice(0, turn)];
        const kind = `"kind"${space}:"ConversionReview"`;
        const request = `"request":${space}{${turned.join(`${space},`)}}`;
        const body = `{${(first ? [kind, request] : [request, kind]).join(',')}${space}}${space}`;
        const found = split(body, step);
        assert.deepEqual([found.kind, found.uid, found.desired], ['"ConversionReview"', '"u-1"', '"v"']);
        assert.deepEqual(
          found.objects.map((text) => JSON.parse(text)),
          objects.map((text) => JSON.parse(text)),
        );
      },
    ),
    { seed, numRuns: 1_000 },
  );
});

test(`what is cut off or has a sign too many is refused and never throws anything else (seed ${seed})`, () => {
  const whole = review('{"metadata":{"name":"a","labels":{"x":"}]\\"{["}}}', '[]');
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"'), (at, sign) => {
      const body = sign === '' ? whole.slice(0, at) : whole.slice(0, at) + sign + whole.slice(at);
      try {
        // A sign within a text changes the text only.
        const { objects } = split(body, 5);
        for (const object of objects) JSON.parse(object);
        assert.ok(sign !== '');
      } catch (error) {
        assert.ok(error instanceof ReviewFault || error instanceof SyntaxError, String(error));
      }
    }),
    { seed, numRuns: 2_000 },
  );
});

for (const [what, body] of [
  ['nothing', ''],
  ['no JSON', 'hello'],
  ['a list', '[]'],
  ['a word', '"ConversionReview"'],
  ['an object without a request', '{"kind":"ConversionReview"}'],
  ['a request that is null', '{"kind":"ConversionReview","request":null}'],
  ['a request without objects', '{"kind":"ConversionReview","request":{"uid":"a","desiredAPIVersion":"v"}}'],
  ['two uids', '{"kind":"ConversionReview","request":{"uid":"a","uid":"b","desiredAPIVersion":"v","objects":[]}}'],
  ['two reviews', `${review()}${review()}`],
  ['half of one', review().slice(0, -1)],
  ['a comma too many', review('{},')],
] as const) {
  test(`${what} is no review`, () => {
    assert.throws(() => split(body), fault(400, /no ConversionReview/));
  });
}

test('nesting, size, values and number of objects are bounded, whatever the objects are', () => {
  assert.throws(() => split(review(`${'['.repeat(70)}${']'.repeat(70)}`)), fault(400, /too deeply/));
  assert.throws(() => split(review('{"a":'.repeat(100_000))), fault(400, /too deeply/));
  assert.throws(() => split(review(`["${'x'.repeat(5 << 20)}"]`)), fault(413, /larger than 4194304 bytes/));
  assert.throws(() => split(review(`[${'{},'.repeat(120_000)}{}]`)), fault(413, /too many values/));
  assert.throws(() => split(review(`${'{},'.repeat(12_000)}{}`)), fault(413, /too many objects/));
  const full = `{"a":[${'1,'.repeat(90_000)}1]}`;
  assert.equal(split(review(full, full)).objects.length, 2);
});

function review(...objects: string[]): string {
  const request = `{"uid":"u","desiredAPIVersion":"v","objects":[${objects.join(',')}]}`;
  return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":${request}}`;
}
