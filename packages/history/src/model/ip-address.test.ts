import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ipBytes, ipFromBytes, parseIp } from './ip-address.ts';

describe('addresses', () => {
  test('have one spelling', () => {
    const spellings: Readonly<Record<string, readonly string[]>> = {
      '10.0.0.7': ['10.0.0.7', ' 10.0.0.7 ', '::ffff:10.0.0.7', '::FFFF:a00:7', '0:0:0:0:0:ffff:10.0.0.7'],
      'fd00::7': ['fd00::7', 'FD00:0:0:0:0:0:0:7', 'fd00:0::0007', '[fd00::7]', 'fd00::7%eth0'],
      '::1': ['::1', '0:0:0:0:0:0:0:1'],
    };
    for (const [canonical, texts] of Object.entries(spellings)) {
      for (const text of texts) assert.equal(parseIp(text), canonical, text);
    }
  });

  test('are not made of what is none: redacted, empty, in doubt, or a range', () => {
    const none = ['', ' ', '***HIDDEN***', 'None', '10.0.0', '10.0.0.256', '010.0.0.7', '0x0a.0.0.7', '10.0.0.7/24'];
    for (const text of [...none, '1', '167772167', 'fd00::7::1', 'fd00', '10.0.0.7:80', ':', '%eth0', '[]']) {
      assert.equal(parseIp(text), undefined, text);
    }
  });

  test('with decimals at their end are as strict as those of four decimals, and mapped only by their prefix', () => {
    const none = ['::ffff:010.0.0.7', '::ffff:10.0.0.07', '::ffff:0x0a.0.0.7', '::ffff:10.0.7', '::ffff:10.0.0.256'];
    for (const text of [...none, '1.2.3.4::', '::1.2.3.4:5']) assert.equal(parseIp(text), undefined, text);
    assert.equal(parseIp('::10.0.0.7'), '::a00:7');
    assert.equal(parseIp('::10.0.0.7'), parseIp('::a00:7'));
    assert.equal(parseIp('64:ff9b::10.0.0.7'), '64:ff9b::a00:7');
    assert.equal(parseIp('1:2:3:4:5:6:10.0.0.7'), '1:2:3:4:5:6:a00:7');
  });

  test('survive the way through sixteen bytes, and equal bytes are equal addresses', () => {
    const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(bytes, (key) => {
        const ip = ipFromBytes(key);
        assert.deepEqual(ipBytes(ip), key);
        assert.equal(parseIp(ip), ip);
      }),
      { numRuns: 1000, seed: 20_261_115 },
    );
  });

  test('of both families sort in one index: IPv4 stands in its mapped form', () => {
    const ip = parseIp('10.0.0.7');
    assert.ok(ip !== undefined);
    assert.deepEqual([...ipBytes(ip)], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 10, 0, 0, 7]);
  });

  test('every plain IPv4 address is read as the library reads it, and nothing that only looks like one', () => {
    const parts = [
      '0',
      '1',
      '9',
      '10',
      '99',
      '100',
      '199',
      '200',
      '249',
      '250',
      '255',
      '256',
      '300',
      '00',
      '01',
      '010',
      '',
    ];
    for (const a of parts) {
      for (const b of parts) {
        const text = `${a}.${b}.7.${a}`;
        const strict = [a, b].every((part) => /^(0|[1-9]\d*)$/.test(part) && Number(part) < 256);
        assert.equal(parseIp(text), strict ? text : undefined, text);
      }
    }
  });

  test('what was read before is read the same again', () => {
    for (const text of ['FD00:0:0::1', '::ffff:10.0.0.7', 'nonsense', '']) assert.equal(parseIp(text), parseIp(text));
    assert.equal(parseIp('FD00:0:0::1'), 'fd00::1');
    for (let n = 0; n < 5000; n++) parseIp(`fd00::${n.toString(16)}`);
    assert.equal(parseIp('FD00:0:0::1'), 'fd00::1');
  });
});
