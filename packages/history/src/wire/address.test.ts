import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryError } from '../errors.ts';
import { addressOf } from './address.ts';

const HINTS: Readonly<Record<string, readonly [text: string, hint: RegExp]>> = {
  'the beginning of an address': ['10.0.0', /has four numbers, as 10\.1\.2\.3, and this has 3/],
  'an address with a dot too many': ['10.0.0.', /and this has 3/],
  'five numbers': ['10.0.0.1.2', /and this has 5/],
  'a range of addresses': ['10.244.2.187/32', /without the length of its prefix: 10\.244\.2\.187\./],
  'a range of IPv6': ['fd00::/64', /without the length of its prefix: fd00::\./],
  'an address with its port': ['10.244.2.187:8080', /leave the port out: 10\.244\.2\.187\./],
  'IPv6 with its port': ['[fd00::17]:443', /leave the port out: fd00::17\./],
  'a number beyond a byte': ['10.244.2.999', /go from 0 to 255/],
  'zeros in front': ['010.244.2.187', /octal: 10\.244\.2\.187\./],
  'the name of a pod': ['sessions-redis-2', /podtrail trail sessions-redis-2\./],
  'a workload': ['deploy/cart', /podtrail trail deploy\/cart\./],
  'a URL': ['http://10.0.0.1/', /write IPv4 as 10\.1\.2\.3, and IPv6 as fd00::17/],
  nothing: ['', /write IPv4 as/],
};

for (const [what, [text, hint]] of Object.entries(HINTS)) {
  test(`${what} is refused with a hint: ${text}`, () => {
    assert.throws(
      () => addressOf(text),
      (error) => error instanceof HistoryError && error.code === 'bad-address' && hint.test(error.hint ?? ''),
    );
  });
}

test('an address is taken in any of its spellings', () => {
  assert.equal(addressOf('::ffff:10.0.0.1'), '10.0.0.1');
  assert.equal(addressOf('[FD00::17]'), 'fd00::17');
});
