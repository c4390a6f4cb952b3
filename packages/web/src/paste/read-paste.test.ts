import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantsInZone } from '../times/zone.ts';
import { readPaste } from './read-paste.ts';

const now = Date.UTC(2026, 10, 18, 12);
const clock = { now, inZone: (wall: string, name = 'Europe/Berlin') => instantsInZone(wall, name) };
const at = Date.UTC(2026, 10, 15, 10, 5);

interface Case {
  readonly text: string;
  readonly ip: string;
  readonly at: number | undefined;
  readonly others?: readonly string[];
  readonly zoneless?: boolean;
  readonly dateless?: boolean;
  /** Beside the one that is meant. */
  readonly moreTimes?: number;
}

const CASES: Readonly<Record<string, Case>> = {
  'an address alone is asked about now': { text: ' 10.244.0.2 ', ip: '10.244.0.2', at: undefined },
  'an address with a port': { text: '10.244.0.2:8080', ip: '10.244.0.2', at: undefined },
  'an IPv6 address in brackets, in any spelling': { text: '[FD00:0:0::2]:443', ip: 'fd00::2', at: undefined },
  'an IPv4 address mapped into IPv6': { text: '::ffff:10.1.2.3 said hello', ip: '10.1.2.3', at: undefined },
  'an AWS flow log': {
    text: '2 123456789010 eni-1235b8ca123456789 10.0.1.7 10.0.0.5 49152 443 6 20 4249 1794737100 1794737160 ACCEPT OK',
    ...{ ip: '10.0.1.7', at, others: ['10.0.0.5'], moreTimes: 1 },
  },
  'an address with its mask': { text: 'inet 10.1.2.3/24 scope global eth0', ip: '10.1.2.3', at: undefined },
  'Cisco: a port behind a slash': {
    text: 'for outside:203.0.113.9/443 to inside:10.1.2.3/22',
    ip: '10.1.2.3',
    at: undefined,
    others: ['203.0.113.9'],
  },
  'tcpdump: a port behind an IPv6 address': {
    text: '2026-11-15 11:05:00.000000 IP6 fd00:10:244::18.49152 > fd00:10:244:2::7.443: Flags [S]',
    ...{ ip: 'fd00:10:244::18', at, others: ['fd00:10:244:2::7'], zoneless: true },
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
  'CloudTrail: the time of the event is meant, not that of its session before it': {
    text: '{"sessionContext":{"attributes":{"creationDate":"2026-11-15T08:00:00Z"}},"eventTime":"2026-11-15T10:05:00Z","sourceIPAddress":"10.1.2.3"}',
    ...{ ip: '10.1.2.3', at, moreTimes: 1 },
  },
  'a time of creation is a time where there is no other': {
    text: '{"ip":"10.1.2.3","creationTimestamp":"2026-11-15T10:05:00Z"}',
    ...{ ip: '10.1.2.3', at },
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
  'a year behind the time of day, as Apache has it': {
    text: '[Sat Nov 15 11:05:00.000000 2025] [core:error] [pid 7] [client 10.1.2.3:49152] AH00126: Invalid URI',
    ...{ ip: '10.1.2.3', at: Date.UTC(2025, 10, 15, 10, 5), zoneless: true },
  },
  'a zone and a year behind the time of day, as `date` has them': {
    text: 'Sun Nov 15 10:05:00 UTC 2026 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at },
  },
  'a zone of hours only, as PostgreSQL writes it': {
    text: '2026-11-15 12:05:00.000+02 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at },
  },
  'a year before the time of day, as Cisco writes it': {
    text: 'Nov 15 2026 11:05:00: %ASA-6-302013: Built inbound TCP connection 7 for inside:10.1.2.3/49152',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  'Kibana: a month, a day and a year': {
    text: 'Nov 15, 2026 @ 11:05:00.000 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  'Suricata: a dash between the date and the time of day': {
    text: '11/15/2026-11:05:00.000000  [**] [1:2001219:20] ET SCAN [**] {TCP} 10.1.2.3:49152 -> 10.1.2.4:443',
    ...{ ip: '10.1.2.3', at, others: ['10.1.2.4'], zoneless: true },
  },
  'Windows: half a day': {
    text: '11/15/2026 9:05:00 PM Source Address: 10.1.2.3',
    ...{ ip: '10.1.2.3', at: Date.UTC(2026, 10, 15, 20, 5), zoneless: true },
  },
  'half a day behind a time with two digits': {
    text: '2026-11-15 09:05:00 PM 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at: Date.UTC(2026, 10, 15, 20, 5), zoneless: true },
  },
  'half a day, a zone by its name, and a year, as `date` has them': {
    text: 'Sun Nov 15 11:05:00 AM CET 2026 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at },
  },
  'am behind an hour that no half of a day has is a word': {
    text: '22:05 am 15.11.2026 10.1.2.3',
    ...{ ip: '10.1.2.3', at: Date.UTC(2026, 10, 15, 21, 5), zoneless: true },
  },
  'a zone behind GMT, as JavaScript writes it': {
    text: 'Sun Nov 15 2026 05:05:00 GMT-0500 (Eastern Standard Time) 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at },
  },
  'a zone behind UTC': { text: '2026-11-15 15:35:00 UTC+05:30 10.1.2.3 refused', ip: '10.1.2.3', at },
  'GMT with a zone of one digit is no zone that is known, and not GMT': {
    text: '2026-11-15 11:05:00 GMT+3 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  'the end of a span is no zone': {
    text: '10.1.2.3 from 2026-11-15 11:05-11:15',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  'a day before the month, where no month has that number': {
    text: '15/11/2026 11:05:00 10.1.2.3 refused',
    ...{ ip: '10.1.2.3', at, zoneless: true },
  },
  'a date with points': { text: '15.11.2026 11:05:00 10.1.2.3 refused', ip: '10.1.2.3', at, zoneless: true },
  'Falco: nanoseconds before a colon': {
    text: '11:05:00.123456789: Notice Unexpected connection (connection=10.1.2.3:49152->10.1.2.4:443)',
    ...{ ip: '10.1.2.3', at: Date.UTC(2026, 10, 18, 10, 5, 0, 123), others: ['10.1.2.4'] },
    ...{ zoneless: true, dateless: true },
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
  'epoch seconds behind a colon, as JSON without blanks has them': {
    text: '{"level":"info","ts":1794737100.0004,"remote":"10.1.2.3:443"}',
    ...{ ip: '10.1.2.3', at },
  },
  'the audit of Linux: a serial number behind the time': {
    text: 'type=SOCKADDR msg=audit(1794737100.000:4567): saddr={ saddr_fam=inet laddr=10.1.2.3 lport=443 }',
    ...{ ip: '10.1.2.3', at },
  },
  'milliseconds, microseconds and nanoseconds': { text: 'ts=1794737100000000000 ip=10.1.2.3', ip: '10.1.2.3', at },
};

for (const [
  name,
  { text, ip, at: expected, others = [], moreTimes = 0, zoneless = false, dateless = false },
] of Object.entries(CASES)) {
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
    assert.equal(paste.times.length, 1 + moreTimes);
    const [{ hasZone, hasDate } = assert.fail('a time')] = paste.times;
    assert.deepEqual({ hasZone, hasDate }, { hasZone: !zoneless, hasDate: !dateless });
  });
}

test('the last such time is within a day, in zones far from UTC, too', () => {
  for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'UTC'])
    for (let hour = 0; hour < 48; hour++) {
      const [time, text] = [now + hour * 3_600_000, hour < 24 ? '0:30' : '23:30'];
      const paste = readPaste(`10.1.2.3 ${text}`, { now: time, inZone: (wall) => instantsInZone(wall, zone) });
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
  for (const date of ['2026-11-15', '2026/11/15', '15 Nov 2026', '15/Nov/2026', 'Nov 15, 2026', '11/15/2026'])
    assert.deepEqual(dayIn(`10.1.2.3 on ${date}`), [undefined, whole], date);
  const autumn = { from: Date.UTC(2026, 9, 24, 22), to: Date.UTC(2026, 9, 25, 23), text: '2026-10-25' };
  assert.deepEqual(dayIn('10.1.2.3 2026-10-25'), [undefined, autumn]);
  for (const none of ['2026-11-31', 'job-2026-11-15', '2026-11-15-x', '2026-11-15T10:05:00Z', '11/10/2026'])
    assert.equal(dayIn(`10.1.2.3 ${none}`)[1], undefined, none);
});

test('a time on a day that no month has, and a span of times, are no time', () => {
  for (const text of ['10.1.2.3 2026-02-30T10:05:00Z', '10.1.2.3 from 10:05-10:15']) {
    const paste = readPaste(text, clock);
    assert.ok(paste.kind === 'addresses' && paste.isLine);
    assert.deepEqual(paste.times, [], text);
  }
  const paste = readPaste('Feb 29 10:05:00 worker-2 sshd: connection from 10.1.2.3', clock);
  assert.ok(paste.kind === 'addresses');
  assert.deepEqual(
    paste.times.map(({ at, hasDate }) => [at, hasDate]),
    [[Date.UTC(2026, 10, 18, 9, 5), false]],
  );
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

test('a line is more than an address alone: it may say when, though not in words that are understood', () => {
  const isLine = (text: string) => {
    const paste = readPaste(text, clock);
    return paste.kind === 'addresses' && paste.isLine;
  };
  for (const alone of [' 10.1.2.3:8080\n', '[0123:4567:89ab:cdef:0123:4567:255.255.255.255]:65535'])
    assert.equal(isLine(alone), false, alone);
  for (const compact of ['{"ip":"10.1.2.3","ts":1.79e9}', '10.1.2.3,20261115T100500Z', 'ip=10.1.2.3|1115'])
    assert.equal(isLine(compact), true, compact);
  for (const line of ['[INFO] 10.1.2.3:43211 - 7 "A IN shop."', `{"ip":"10.1.2.3","message":"${'x'.repeat(40)}"}`])
    assert.equal(isLine(line), true, line);
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

test('what has no address is a name, and of prose nothing', () => {
  const uid = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';
  for (const [text, name, when] of [
    ['cart-7d9-x2k', 'cart-7d9-x2k', undefined],
    ['deploy/cart', 'deploy/cart', undefined],
    ['pod shop/cart-7cbb44f847-8t7hh was killed', 'shop/cart-7cbb44f847-8t7hh', undefined],
    [`pod uid ${uid} on a-b-c-d-e-f-g`, uid, undefined],
    ['2026-11-15T10:05:00Z shop/cart-7d9-x2k was killed', 'shop/cart-7d9-x2k', at],
    ['2026-11-15 11:05:00 shop/cart-7d9-x2k was killed', 'shop/cart-7d9-x2k', at],
  ] as const) {
    const paste = readPaste(text, clock);
    assert.ok(paste.kind === 'name', text);
    assert.deepEqual([paste.text, paste.at, paste.isUnclear], [name, when, false], text);
  }
  for (const nothing of ['   ', 'the quick brown fox'])
    assert.equal(readPaste(nothing, clock).kind, 'nothing', nothing);
});

test('of several times each has the word before it, to choose by', () => {
  const { times, at: chosen } = readPaste(
    '{"end_time":"2026-11-15T10:05:07Z","src":"10.1.2.3","start_time":"2026-11-15T10:05:00Z"}',
    clock,
  );
  assert.deepEqual([times.map(({ key }) => key), chosen], [['end_time', 'start_time'], at]);
});

test('a time that the clocks showed twice is two to choose from, and one that they never showed is asked for', () => {
  const twice = readPaste('2026-10-25 02:30:00 10.1.2.3 refused', clock);
  assert.deepEqual(
    [twice.times.map((time) => time.at), twice.at, twice.isUnclear],
    [[Date.UTC(2026, 9, 25, 0, 30), Date.UTC(2026, 9, 25, 1, 30)], undefined, true],
  );
  const never = readPaste('2026-03-29 02:30:00 10.1.2.3 refused', clock);
  assert.deepEqual([never.times, never.at, never.isUnclear], [[], undefined, true]);
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
