import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantInZone } from '../times/zone.ts';
import { readPaste } from './read-paste.ts';

const now = Date.UTC(2026, 10, 18, 12);
const clock = { now, inZone: (wall: string) => instantInZone(wall, 'Europe/Berlin') };
const at = Date.UTC(2026, 10, 15, 10, 5);

interface Case {
  readonly text: string;
  readonly ip: string;
  readonly at: number | undefined;
  readonly others?: readonly string[];
  readonly zoneless?: boolean;
  readonly dateless?: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  'an address alone is asked about now': { text: ' 10.244.0.2 ', ip: '10.244.0.2', at: undefined },
  'an address with a port': { text: '10.244.0.2:8080', ip: '10.244.0.2', at: undefined },
  'an IPv6 address in brackets, in any spelling': { text: '[FD00:0:0::2]:443', ip: 'fd00::2', at: undefined },
  'an IPv4 address mapped into IPv6': { text: '::ffff:10.1.2.3 said hello', ip: '10.1.2.3', at: undefined },
  'an AWS flow log': {
    text: '2 123456789010 eni-1235b8ca123456789 10.0.1.7 10.0.0.5 49152 443 6 20 4249 1794737100 1794737160 ACCEPT OK',
    ...{ ip: '10.0.1.7', at, others: ['10.0.0.5'] },
  },
  'a web server: the client first, its time with a zone': {
    text: '10.244.1.9 - - [15/Nov/2026:10:05:00 +0000] "GET /cart HTTP/1.1" 502 157 "-" "curl/8.5.0"',
    ...{ ip: '10.244.1.9', at },
  },
  'a client of the outside is not who is meant': {
    text: '2026-11-15T10:05:00Z client=203.0.113.9 upstream=10.244.3.7:8080 status=502',
    ...{ ip: '10.244.3.7', at, others: ['203.0.113.9'] },
  },
  'Hubble, as JSON': {
    text: '{"time":"2026-11-15T10:05:00.000Z","verdict":"DROPPED","IP":{"source":"10.0.0.66","destination":"10.0.1.2"}}',
    ...{ ip: '10.0.0.66', at, others: ['10.0.1.2'] },
  },
  'Zeek: epoch seconds with a fraction': {
    text: '1794737100.000000\tCHhAvVGS1DHFjwGM9\t10.1.2.3\t49152\t10.1.2.4\t53\tudp\tdns',
    ...{ ip: '10.1.2.3', at, others: ['10.1.2.4'] },
  },
  'tcpdump: a port behind a fifth dot': {
    text: '2026-11-15 11:05:00.000000 IP 10.1.2.3.49152 > 10.1.2.4.443: Flags [S], seq 1, win 64240',
    ...{ ip: '10.1.2.3', at, others: ['10.1.2.4'], zoneless: true },
  },
  'syslog has neither year nor zone': {
    text: 'Nov 15 11:05:00 worker-2 kernel: IN=eth0 SRC=10.1.2.3 DST=10.1.2.4 LEN=60',
    ...{ ip: '10.1.2.3', at, others: ['10.1.2.4'], zoneless: true },
  },
  'syslog of last December': {
    text: 'Dec 31 23:00:00 worker-2 sshd: connection from 10.1.2.3',
    ...{ ip: '10.1.2.3', at: Date.UTC(2025, 11, 31, 22), zoneless: true },
  },
  'a line of Kubernetes itself': {
    text: 'E1115 11:05:00.000000       1 server.go:310] dial tcp 10.1.2.3:10250: connection refused',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  // It is 13:00 in Berlin.
  'a time of day without a date is the last such time, in the zone of the reader': {
    text: 'who attacked 10.244.17.212 at 12:03?',
    ...{ ip: '10.244.17.212', at: Date.UTC(2026, 10, 18, 11, 3), zoneless: true, dateless: true },
  },
  'a time of day that is still to come was yesterday': {
    text: 'who attacked 10.244.17.212 at 2:03 pm?',
    ...{ ip: '10.244.17.212', at: Date.UTC(2026, 10, 17, 13, 3), zoneless: true, dateless: true },
  },
  'tcpdump without a date': {
    text: '00:14:09.123456 IP 10.244.17.212.443 > 10.244.15.67.5000: Flags [S], seq 1',
    ...{ ip: '10.244.17.212', at: Date.UTC(2026, 10, 17, 23, 14, 9, 123), others: ['10.244.15.67'] },
    ...{ zoneless: true, dateless: true },
  },
  'a time of day with a zone': {
    text: '10.1.2.3 failed at 10:05 UTC',
    ...{ ip: '10.1.2.3', at: Date.UTC(2026, 10, 18, 10, 5), dateless: true },
  },
  'beside a whole time a time of day is something else': {
    text: '2026-11-15T10:05:00Z 10.1.2.3 up 10:06:00',
    ...{ ip: '10.1.2.3', at },
  },
  'a time without seconds keeps its date': {
    text: '2026-11-15 10:05Z 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at },
  },
  'a date and a time of day apart belong together': {
    text: 'on 2026-11-15 pod 10.1.2.3 was attacked, at 11:05',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  'a time of a header': { text: 'Date: Sun, 15 Nov 2026 10:05:00 GMT from 10.1.2.3', ip: '10.1.2.3', at },
  'milliseconds, microseconds and nanoseconds': { text: 'ts=1794737100000000000 ip=10.1.2.3', ip: '10.1.2.3', at },
};

for (const [name, { text, ip, at: expected, others = [], zoneless = false, dateless = false }] of Object.entries(
  CASES,
)) {
  test(name, () => {
    const paste = readPaste(text, clock);
    assert.ok(paste.kind === 'addresses', paste.kind);
    assert.equal(paste.ip, ip);
    assert.equal(paste.at, expected);
    assert.deepEqual(
      paste.addresses.map((address) => address.ip).filter((other) => other !== paste.ip),
      others,
    );
    if (expected === undefined) return assert.deepEqual(paste.times, []);
    assert.equal(paste.times.length, text.includes('1794737160') ? 2 : 1);
    const [{ hasZone, hasDate } = assert.fail('a time')] = paste.times;
    assert.deepEqual({ hasZone, hasDate }, { hasZone: !zoneless, hasDate: !dateless });
  });
}

test('the last such time is within a day, in zones far from UTC, too', () => {
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'])
    for (let hour = 0; hour < 48; hour++) {
      const [time, text] = [now + hour * 3_600_000, hour < 24 ? '0:30' : '23:30'];
      const paste = readPaste(`10.1.2.3 ${text}`, { now: time, inZone: (wall) => instantInZone(wall, zone) });
      assert.ok(paste.kind === 'addresses' && paste.at !== undefined);
      assert.ok(paste.at <= time && time - paste.at < 24 * 3_600_000, `${zone}, hour ${hour}`);
    }
});

test('a date without a time of day is a whole day of the reader, also one of 25 hours; it is no instant', () => {
  const dayIn = (text: string) => {
    const paste = readPaste(text, clock);
    return paste.kind === 'addresses' ? [paste.at, paste.day] : [];
  };
  const whole = { from: Date.UTC(2026, 10, 14, 23), to: Date.UTC(2026, 10, 15, 23), text: '2026-11-15' };
  for (const date of ['2026-11-15', '2026/11/15', '15 Nov 2026', '15/Nov/2026'])
    assert.deepEqual(dayIn(`10.1.2.3 on ${date}`), [undefined, whole], date);
  const autumn = { from: Date.UTC(2026, 9, 24, 22), to: Date.UTC(2026, 9, 25, 23), text: '2026-10-25' };
  assert.deepEqual(dayIn('10.1.2.3 2026-10-25'), [undefined, autumn]);
  for (const none of ['2026-11-31', 'job-2026-11-15', '2026-11-15-x', '2026-11-15T10:05:00Z'])
    assert.equal(dayIn(`10.1.2.3 ${none}`)[1], undefined, none);
});

test('source and destination are distinguished, by words or by their order', () => {
  const roles = (text: string) => {
    const paste = readPaste(text, clock);
    return paste.kind === 'addresses' ? paste.addresses.map(({ ip, role }) => `${role} ${ip}`) : [];
  };
  assert.deepEqual(roles('10.0.0.1 10.0.0.2 443'), ['source 10.0.0.1', 'destination 10.0.0.2']);
  assert.deepEqual(roles('dst_ip=10.0.0.1 src_ip=10.0.0.2'), ['destination 10.0.0.1', 'source 10.0.0.2']);
  assert.deepEqual(roles('10.0.0.1:40000 -> 10.0.0.2:443'), ['source 10.0.0.1', 'destination 10.0.0.2']);
});

test('numbers that are no address and no time are left alone', () => {
  const paste = readPaste(
    '10.1.2.3 version 1.36.3 network 10.0.0.0/8 300.1.2.3 1.2.3.4.5.6 mac 0a:58:0a:f4:00:02 80:80 8080:80 v1:20 24:61 10:05:00:01 9999999999',
    clock,
  );
  assert.ok(paste.kind === 'addresses');
  assert.deepEqual(
    paste.addresses.map(({ ip }) => ip),
    ['10.1.2.3'],
  );
  assert.deepEqual(paste.times, []);
});

test('of several lines the first is read, because each has a time of its own', () => {
  const paste = readPaste('2026-11-15T10:05:00Z 10.1.2.3\n2026-11-15T10:06:00Z 10.1.2.4\nend', clock);
  assert.ok(paste.kind === 'addresses');
  assert.deepEqual([paste.ip, paste.at, paste.addresses.length, paste.otherLines], ['10.1.2.3', at, 1, 1]);
});

test('one record over several lines is one record', () => {
  const paste = readPaste('{\n "time": "2026-11-15T10:05:00Z",\n "src": "10.1.2.3",\n "dst": "10.1.2.4"\n}', clock);
  assert.ok(paste.kind === 'addresses');
  assert.deepEqual([paste.ip, paste.at, paste.addresses.length, paste.otherLines], ['10.1.2.3', at, 2, 0]);
});

test('what has no address is a name', () => {
  assert.deepEqual(readPaste('cart-7d9-x2k', clock), { kind: 'name', text: 'cart-7d9-x2k' });
  assert.deepEqual(readPaste('deploy/cart', clock), { kind: 'name', text: 'deploy/cart' });
  assert.deepEqual(readPaste('pod shop/cart-7cbb44f847-8t7hh was killed', clock), {
    kind: 'name',
    text: 'shop/cart-7cbb44f847-8t7hh',
  });
  const uid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
  assert.deepEqual(readPaste(`pod uid ${uid} on a-b-c-d-e-f-g`, clock), { kind: 'name', text: uid });
  assert.deepEqual(readPaste('   ', clock), { kind: 'nothing' });
});

test('any text is read in an instant and never throws', () => {
  const seed = 20261118;
  let state = seed;
  const next = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % most;
  };
  const alphabet = '0123456789.:[]{}"abcdefT-/ZNov %\n→';
  for (let n = 0; n < 2_000; n++) {
    let text = '';
    for (let i = next(400); i > 0; i--) text += alphabet[next(alphabet.length)];
    assert.doesNotThrow(() => readPaste(text, clock), `seed ${seed}: ${JSON.stringify(text)}`);
  }
  for (const part of ['1.', '1:', '::', '0123456789', '2026-11-15 ', 'a-']) readPaste(part.repeat(40_000), clock);
});
