import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIp } from '@podtrail/history';
import { seededRandom } from '@podtrail/machinery';
import { ipv4Bits, NOT_PLAIN, RowAddresses } from './row-address.ts';

function bitsOf(text: string): number {
  const bytes = Buffer.from(`1${text}1`, 'latin1');
  return ipv4Bits(bytes, 1, bytes.length - 1);
}

function dotted(bits: number): string {
  return `${bits >>> 24}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}`;
}

test('four plain decimals are read as parseIp reads them, and nothing that it refuses is read', () => {
  const seed = 7;
  const random = seededRandom(seed);
  const parts = ['0', '1', '9', '10', '99', '100', '255', '256', '999', '00', '01', '010', '', 'a', '1e1', '-1', ' 1'];
  for (let run = 0; run < 20_000; run++) {
    const count = random() < 0.9 ? 4 : Math.floor(random() * 7);
    const text = Array.from({ length: count }, () => parts[Math.floor(random() ** 2 * parts.length)]).join('.');
    const bits = bitsOf(text);
    const ip = parseIp(text);
    if (bits !== NOT_PLAIN) assert.equal(dotted(bits), ip, `seed ${seed}: ${JSON.stringify(text)}`);
    else assert.notEqual(ip, text, `seed ${seed}: ${JSON.stringify(text)} is plain`);
  }
  for (const text of ['255.255.255.255', '0.0.0.0', '10.0.0.7', '127.255.0.1', '128.0.0.0']) {
    assert.equal(dotted(bitsOf(text)), text);
  }
});

test('other spellings are known by their text, and what is none stays none', () => {
  const addresses = new RowAddresses();
  for (let again = 0; again < 2; again++) {
    assert.equal(addresses.parse('::ffff:10.0.0.7'), '10.0.0.7');
    assert.equal(addresses.parse('[FD00::1]'), 'fd00::1');
    assert.equal(addresses.parse('***HIDDEN***'), undefined);
  }
});
