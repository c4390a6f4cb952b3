import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { aStory, at } from '../testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

const attribute = (words: string, input: string | Uint8Array, options = {}) =>
  run(['attribute', '-', ...words.split(' ')], { engine, now: at(201), input, ...options });

const HELD = 'held,Pod,shop,web-1,uid-web-1,node-a,Deployment/web,2026-11-15T09:58:20.000Z,2026-11-15T10:00:59.000Z,';
const OURS = 'answer,kind,namespace,pod,uid,node,workload,from,to,candidates';

test('CSV: the same rows in the same order, with the answers behind', async () => {
  const { code, out, err } = await attribute(
    '--ip src --time t',
    `t,src,bytes
2026-11-15T10:00:30Z,10.0.0.7,17
2026-11-15T10:01:05Z,10.0.0.7,18
2026-11-15T10:00:59.5Z,10.0.0.7,19
2026-11-15T10:02:00Z,10.0.0.8,20
2026-11-15T10:00:30Z,192.168.0.1,21
2026-11-15T10:00:30Z,10.96.0.10,22
`,
  );
  assert.equal(code, 0);
  assert.equal(
    out,
    `t,src,bytes,${OURS}
2026-11-15T10:00:30Z,10.0.0.7,17,${HELD}
2026-11-15T10:01:05Z,10.0.0.7,18,free,,,,,,,,,
2026-11-15T10:00:59.5Z,10.0.0.7,19,ambiguous,,,,,,,,,shop/web-1
2026-11-15T10:02:00Z,10.0.0.8,20,unknown,,,,,,,,,
2026-11-15T10:00:30Z,192.168.0.1,21,ambiguous,,,,,,,,,node-a;shop/agent
2026-11-15T10:00:30Z,10.96.0.10,22,held,Service,shop,cart,uid-cart,,,2026-11-15T10:00:00.000Z,,
`,
  );
  assert.equal(
    err,
    '6 rows: 33.3% held, 16.7% free, 33.3% ambiguous, 16.7% unknown\nmost rows: service shop/cart 1, shop/web-1 1\n',
  );
});

test('CSV: quotes, CRLF, BOM, blank lines and bytes of any kind go out as they came in', async () => {
  const input = Buffer.from(
    '\ufefft,src,note\r\n2026-11-15T10:00:30Z,10.0.0.7,"a, ""b""\r\nc é"\r\n\r\n1794736830,"10.0.0.7",',
    'utf8',
  );
  const latin = Buffer.concat([input, Buffer.from([0xff, 0xfe, 0x00]), Buffer.from('\r\n')]);
  const chunks: Buffer[] = [];
  const stdout = { isTTY: false, write: async (b: string | Uint8Array) => void chunks.push(Buffer.from(b)) };
  await attribute('--ip src --time t', latin, { stdout });
  const expected = [
    Buffer.from(
      `\ufefft,src,note,${OURS}\r\n2026-11-15T10:00:30Z,10.0.0.7,"a, ""b""\r\nc é",${HELD}\r\n\r\n1794736830,"10.0.0.7",`,
    ),
    Buffer.from([0xff, 0xfe, 0x00]),
    Buffer.from(`,${HELD}\r\n`),
  ];
  assert.deepEqual(Buffer.concat(chunks), Buffer.concat(expected));
});

test('CSV: columns that collide stay, ours get the prefix, and a column with the prefix is ours and replaced', async () => {
  const { out } = await attribute(
    '--ip ip --time t',
    't,ip,pod,node,podtrail_node,x\n2026-11-15T10:00:30Z,10.0.0.7,a,b,c,d\n',
  );
  assert.deepEqual(out.split('\n').slice(0, 2), [
    't,ip,pod,node,x,answer,kind,namespace,podtrail_pod,uid,podtrail_node,workload,from,to,candidates',
    `2026-11-15T10:00:30Z,10.0.0.7,a,b,d,${HELD}`,
  ]);
});

test('asking again replaces the columns of the run before, at the end or in between, in CSV and in JSON', async () => {
  const log = 't,src,pod\n2026-11-15T10:00:30Z,10.0.0.7,"a, b"\n2026-11-15T10:01:05Z,10.0.0.7,c\nbad,10.0.0.7,d\n';
  const once = await attribute('--ip src --time t', log);
  assert.equal((await attribute('--ip src --time t', once.out)).out, once.out);
  const between = once.out.replaceAll('\n', ',z\n');
  const [header = '', first = ''] = (await attribute('--ip src --time t', between)).out.split('\n');
  assert.match(header, /^t,src,pod,z,answer,kind,namespace,podtrail_pod,/);
  assert.equal(first, `2026-11-15T10:00:30Z,10.0.0.7,"a, b",z,${HELD}`);
  const json = await attribute('--ip src --time t -o jsonl', log);
  assert.equal((await attribute('--ip src --time t', json.out)).out, json.out);
  const both = 't,src,dst\n2026-11-15T10:00:30Z,10.0.0.7,10.0.0.5\n';
  const twice = await attribute('--ip src --ip dst --time t', both);
  assert.equal((await attribute('--ip src --ip dst --time t', twice.out)).out, twice.out);
});

test('CSV: malformed rows are kept and marked, and our columns stay where the header says', async () => {
  const { code, out, err } = await attribute(
    '--ip src --time t',
    't,src,x\nbad,10.0.0.7,1\n2026-11-15T10:00:30Z,***HIDDEN***,1\n2026-11-15T10:00:30Z\n15m,10.0.0.7,1\n2026-11-15T10:00:30Z,10.0.0.7,"open\n2026-11-15T10:00:30Z,10.0.0.7,1\n',
  );
  assert.equal(code, 0);
  assert.deepEqual(out.split('\n').slice(1, -1), [
    'bad,10.0.0.7,1,malformed,,,,,,,,,',
    '2026-11-15T10:00:30Z,***HIDDEN***,1,malformed,,,,,,,,,',
    '2026-11-15T10:00:30Z,,,malformed,,,,,,,,,',
    '15m,10.0.0.7,1,malformed,,,,,,,,,',
    '2026-11-15T10:00:30Z,10.0.0.7,open,malformed,,,,,,,,,',
    `2026-11-15T10:00:30Z,10.0.0.7,1,${HELD}`,
  ]);
  assert.equal(
    err,
    `row 1: "bad" is not a time that podtrail understands
row 2: "***HIDDEN***" is not an IP address
row 3: 1 field where the header has 3
row 4: "15m" is an age, not a time
row 5: a quote is not closed
6 rows: 16.7% held, 0.0% free, 0.0% ambiguous, 0.0% unknown, 83.3% malformed (5)
most rows: shop/web-1 1
`,
  );
});

test('CSV: a row with too many fields is marked, and keeps what is too much in its last column', async () => {
  const rows = [
    '2026-11-15T10:00:30Z,10.0.0.7,1,2,=3',
    '2026-11-15T10:00:30Z,10.0.0.7,"a ""b"" c",d',
    '2026-11-15T10:00:30Z,10.0.0.7,,',
  ];
  const input = `t,src,x\n${rows.join('\n')}\n`;
  const { code, out, err } = await attribute('--ip src --time t', input);
  assert.equal(code, 1, 'not one row could be read');
  assert.deepEqual(out.split('\n').slice(1, -1), [
    '2026-11-15T10:00:30Z,10.0.0.7,"1,2,=3",malformed,,,,,,,,,',
    '2026-11-15T10:00:30Z,10.0.0.7,"a ""b"" c,d",malformed,,,,,,,,,',
    '2026-11-15T10:00:30Z,10.0.0.7,",",malformed,,,,,,,,,',
  ]);
  assert.match(err, /^row 1: 5 fields where the header has 3\nrow 2: 4 fields where the header has 3\n/);
  const json = await attribute('--ip src --time t -o jsonl', input);
  const { x, column_4, column_5, answer } = JSON.parse(json.out.split('\n')[0] ?? '');
  assert.deepEqual({ x, column_4, column_5, answer }, { x: '1', column_4: '2', column_5: '=3', answer: 'malformed' });
});

test('many malformed rows are reported once', async () => {
  const { err } = await attribute('--ip src --time t', `t,src\n${'x,y\n'.repeat(50)}`);
  assert.equal(err.match(/^row /gm)?.length, 10);
  assert.match(err, /more rows are malformed/);
});

test('JSON lines: members of the input keep their spelling, ours stand behind', async () => {
  const { code, out } = await attribute(
    '--ip source.ip --time t',
    '{"source": {"ip":"10.0.0.7"}, "t":1794736830, "id":12345678901234567890, "pod":"mine"}\n{"source.ip":"192.168.0.1","t":"2026-11-15T10:00:30Z","constructor":1,"__proto__":2}\n',
  );
  assert.equal(code, 0);
  const [first = '', second = ''] = out.split('\n');
  assert.equal(
    first,
    '{"source": {"ip":"10.0.0.7"}, "t":1794736830, "id":12345678901234567890, "pod":"mine","answer":"held","kind":"Pod","namespace":"shop","podtrail_pod":"web-1","uid":"uid-web-1","node":"node-a","workload":"Deployment/web","from":"2026-11-15T09:58:20.000Z","to":"2026-11-15T10:00:59.000Z","candidates":[]}',
  );
  assert.deepEqual(JSON.parse(second).candidates, [
    { kind: 'Node', namespace: '', pod: 'node-a', uid: 'uid-node-a', node: 'node-a' },
    { kind: 'Pod', namespace: 'shop', pod: 'agent', uid: 'uid-agent', node: 'node-a' },
  ]);
  assert.match(
    second,
    /^\{"source\.ip":"192\.168\.0\.1","t":"2026-11-15T10:00:30Z","constructor":1,"__proto__":2,"answer":"ambiguous"/,
  );
});

test('fault 30: names that every object has are names like others', async () => {
  const { out } = await attribute(
    '--ip constructor --time toString',
    '{"a":1}\n{"constructor":"10.0.0.7","toString":1794736830}\n',
  );
  const [first = '', second = ''] = out.split('\n');
  assert.equal(JSON.parse(first).answer, 'malformed');
  assert.equal(JSON.parse(second).answer, 'held');
});

test('JSON lines: what is no object is kept whole', async () => {
  const { out } = await attribute('--ip ip --time t', '{"ip":"10.0.0.7","t":1794736830}\nnot json\n[1]\n{}\n');
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ answer, line, problem }) => [answer, line, problem]),
    [
      ['held', undefined, undefined],
      ['malformed', 'not json', 'not a JSON object'],
      ['malformed', '[1]', 'not a JSON object'],
      ['malformed', undefined, 'ip is not there, or not a text'],
    ],
  );
});

test('JSON: a byte order mark is no part of the first record', async () => {
  const row = '{"ip":"10.0.0.7","t":"2026-11-15T10:00:30Z"}';
  for (const input of [`\ufeff${row}\n`, `\ufeff${row}\r\n${row}`, `\ufeff[${row},\n${row}]`, `\ufeff\n${row}`]) {
    const { code, out } = await attribute('--ip ip --time t', Buffer.from(input));
    assert.equal(code, 0, input);
    const answers = out
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line).answer);
    assert.deepEqual(new Set(answers), new Set(['held']), input);
  }
});

test('JSON lines: a first line that breaks off is one row, and takes no others along', async () => {
  const row = '{"ip":"10.0.0.7","t":"2026-11-15T10:00:30Z"}';
  for (const broken of ['{"ip":"10.0.0.7","t":"2026-11-', '{broken', '{"ip":"10.0.0.7"', '{"ip":"10.0.0.7","a":[1']) {
    const { out } = await attribute('--ip ip --time t', `${broken}\n${row}\n\n${row}\n`);
    const answers = out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).answer);
    assert.deepEqual(answers, ['malformed', 'held', 'held'], broken);
  }
});

test('JSON: a record that goes on over lines is one row, wherever its lines are cut', async () => {
  for (const input of [
    '{"a":\n{"b":1},"ip":"10.0.0.7","t":1794736830}\n',
    '{"a":[\n{"b":1}],"ip":"10.0.0.7","t":1794736830}\n',
    '{"a":[1,\n{"b":1}],"ip":"10.0.0.7","t":1794736830}\n',
    '{\n  "ip": "10.0.0.7",\n  "t": 1794736830\n}\n',
    '{"ip": "10.0.0.7"\n, "t": 1794736830}\n',
  ]) {
    const { out } = await attribute('--ip ip --time t -o csv', input);
    assert.equal(out.trim().split('\r\n').length, 2, `${input} ${out}`);
    assert.doesNotMatch(out, /malformed/, input);
  }
});

test('a column that is not there is refused with the names that there are, and no more than can be read', async () => {
  const few = await attribute('--ip src --time t', 't,source\n1794736830,10.0.0.7\n');
  assert.match(few.err, /hint: it has t, source\.\n$/);
  for (const header of ['a'.repeat(1_000_000), Array.from({ length: 50_000 }, (_, i) => `column-${i}`).join(',')]) {
    const { code, err } = await attribute('--ip src --time t', `${header}\n1794736830,10.0.0.7\n`);
    assert.equal(code, 2);
    assert.match(err, /it has (?:a{64}…|column-0, column-1, )/);
    assert.ok(err.length < 2_000, `${err.length}`);
  }
});

test('JSON lines: a row that is nested without end is marked, and the others are answered, whatever is written', async () => {
  const row = (more = '1') => `{"ip":"10.0.0.7","t":1794736830,"pod":"x","more":${more}}\n`;
  for (const deep of ['['.repeat(100_000) + ']'.repeat(100_000), '{"a":'.repeat(3_000) + '1' + '}'.repeat(3_000)]) {
    const brackets = JSON.stringify('['.repeat(10_000));
    for (const flags of ['-o csv', '-o jsonl']) {
      const { code, out, err } = await attribute(`--ip ip --time t ${flags}`, row() + row(deep) + row(brackets));
      assert.equal(code, 0, err);
      const lines = out
        .trimEnd()
        .split('\n')
        .slice(flags === '-o csv' ? 1 : 0);
      assert.deepEqual(
        lines.map((line) => /\b(held|malformed)\b/.exec(line)?.[1]),
        ['held', 'malformed', 'held'],
        flags,
      );
      assert.match(err, /nested more than 1000 times/);
    }
  }
});

test('CSV to JSON lines and back', async () => {
  const csv = 't,src,=x\n2026-11-15T10:00:30Z,10.0.0.7,é "q"\n';
  const json = await attribute('--ip src --time t -o jsonl', csv);
  const row = JSON.parse(json.out);
  assert.deepEqual([row.t, row['=x'], row.answer, row.pod], ['2026-11-15T10:00:30Z', 'é "q"', 'held', 'web-1']);
  const back = await attribute(
    '--ip src --time t -o csv',
    '{"t":1794736830,"src":"10.0.0.7","n":12345678901234567890,"o":{"a":[1]},"f":"=cmd()"}\nbroken\n{"src":"10.0.0.7","t":1794736830,"other":1}\n',
  );
  assert.equal(
    back.out,
    [
      `t,src,n,o,f,${OURS}`,
      `1794736830,10.0.0.7,12345678901234567890,"{""a"":[1]}",'=cmd(),${HELD}`,
      'broken,,,,,malformed,,,,,,,,,',
      `1794736830,10.0.0.7,,,,${HELD}`,
      '',
    ].join('\r\n'),
  );
  assert.match(back.err, /1 row had members that the first row lacks/);
});

test('zones of rows without one', async () => {
  const { out } = await attribute(
    '--ip src --time t --timezone Europe/Berlin',
    't,src\n2026-11-15 11:00:30,10.0.0.7\n2026-10-25T02:30:00,10.0.0.7\n',
  );
  assert.match(out, /^2026-11-15 11:00:30,10\.0\.0\.7,held/m);
  assert.match(out, /^2026-10-25T02:30:00,10\.0\.0\.7,malformed/m);
});

test('both ends in one pass: each has its columns, with a prefix by its name or by --prefix; with one --ip none', async () => {
  const log = 't,src_ip,dst_ip\n2026-11-15T10:00:30Z,10.0.0.7,10.0.0.5\n2026-11-15T10:00:30Z,nobody,10.0.0.5\n';
  const { code, out, err } = await attribute('--ip src_ip --ip dst_ip --time t', log);
  assert.equal(code, 0);
  const [header = '', first = '', second = ''] = out.split('\n');
  const names = header.split(',');
  assert.deepEqual([names.indexOf('src_pod'), names.indexOf('dst_pod'), names.length], [6, 20, 3 + 2 * 14]);
  assert.deepEqual([first.split(',')[6], first.split(',')[20]], ['web-1', 'db-0']);
  assert.deepEqual([second.split(',')[3], second.split(',')[20]], ['malformed', 'db-0']);
  assert.match(err, /2 rows: src 50\.0% held, .*50\.0% malformed \(1\); dst 100\.0% held, /);
  const named = await attribute('--ip src_ip --ip dst_ip --time t --prefix from_ --prefix to_', log);
  assert.match(named.out, /^t,src_ip,dst_ip,from_answer,.*,to_answer,/);
  const others = await attribute('--ip a --ip b --time t', 't,a,b\n1794736830,10.0.0.7,10.0.0.5\n');
  assert.match(others.out, /^t,a,b,a_answer,.*,b_answer,/);
  assert.match((await attribute('--ip dst_ip --time t', log)).out, /^t,src_ip,dst_ip,answer,kind,/);
  assert.equal((await attribute('--ip src_ip --ip dst_ip --time t --prefix x_', log)).code, 2);
});

test('a row with an end is a window: held throughout, candidates with their parts, or free', async () => {
  const log = `s,e,src
2026-11-15T10:00:30Z,2026-11-15T10:00:40Z,10.0.0.7
2026-11-15T10:00:50Z,2026-11-15T10:01:19.999Z,10.0.0.7
2026-11-15T10:01:01Z,2026-11-15T10:01:02Z,10.0.0.7
2026-11-15T10:01:30Z,2026-11-15T10:02:00Z,10.0.0.8
2026-11-15T10:00:40Z,2026-11-15T10:00:30Z,10.0.0.7
`;
  const { code, out, err } = await attribute('--ip src --time s --end e', log);
  assert.equal(code, 0);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((row) => row.split(',').slice(3));
  assert.deepEqual(rows[0]?.slice(9), ['candidates', 'overlap', 'reason', 'last', 'next']);
  assert.deepEqual([rows[1]?.[0], rows[1]?.[3]], ['held', 'web-1']);
  assert.deepEqual([rows[2]?.[0], rows[2]?.[9], rows[2]?.[10]], ['ambiguous', 'shop/job-2;shop/web-1', '0.4;0.333']);
  assert.equal(rows[3]?.[0], 'free');
  assert.equal(rows[4]?.[0], 'unknown');
  assert.equal(rows[5]?.[0], 'malformed');
  assert.match(err, /row 5: it ends before it begins/);
  const json = await attribute('--ip src --time s --end e -o jsonl', log);
  const [, second] = json.out.split('\n').map((line) => (line === '' ? undefined : JSON.parse(line)));
  assert.deepEqual(
    second.candidates.map(({ pod, overlap, certain }: Record<string, unknown>) => [pod, overlap, certain]),
    [
      ['job-2', 0.4, 0.333333],
      ['web-1', 0.333333, 0.3],
    ],
  );
});

test('free says why and who was around: in its own columns where there are such, and always in JSON', async () => {
  const log = 't,src,dst\n2026-11-15T10:01:05Z,10.0.0.7,8.8.8.8\n';
  const { out } = await attribute('--ip src --ip dst --time t', log);
  const [header = '', row = ''] = out.split('\n');
  const names = header.split(',');
  const cell = (name: string) => row.split(',')[names.indexOf(name)];
  assert.deepEqual(['src_answer', 'src_reason', 'src_last', 'src_next'].map(cell), [
    ...['free', '', 'shop/web-1@2026-11-15T10:00:59.000Z', 'shop/job-2@2026-11-15T10:01:09.000Z'],
  ]);
  assert.deepEqual(['dst_answer', 'dst_reason', 'dst_last', 'dst_next'].map(cell), ['free', 'outside', '', '']);
  const json = JSON.parse((await attribute('--ip src --time t -o jsonl', log)).out);
  assert.deepEqual(
    [json.answer, json.last.pod, json.next.pod, json.next.at],
    ['free', 'web-1', 'job-2', '2026-11-15T10:01:09.000Z'],
  );
  assert.equal(JSON.parse((await attribute('--ip dst --time t -o jsonl', log)).out).reason, 'outside');
});

test('a time without a zone is refused unless the zone is given: the zone of this machine is nobody’s guess', async () => {
  const log = 't,src\n2026-11-15 10:00:30,10.0.0.7\n2026-11-15 10:00:31,10.0.0.7\n';
  const systemZone = 'America/New_York';
  const { code, out, err } = await attribute('--ip src --time t', log, { systemZone });
  assert.equal(code, 2);
  assert.doesNotMatch(out, /held/);
  assert.match(err, /^podtrail: row 1: "2026-11-15 10:00:30" has no time zone\nhint: .*--timezone UTC/m);
  const json = await attribute('--ip src --time t', '{"src":"10.0.0.7","t":"2026-11-15T10:00:30"}\n', { systemZone });
  assert.deepEqual([json.code, json.out], [2, '']);
  assert.match((await attribute('--ip src --time t --timezone UTC', log, { systemZone })).out, /30,10\.0\.0\.7,held/);
  const local = await attribute('--ip src --time t --timezone local', log, { systemZone });
  assert.deepEqual([local.code, /held/.test(local.out)], [0, false]);
});

test('one time without a zone among others does not stop the run, and is still an error at its end', async () => {
  const log = 't,src\n2026-11-15T10:00:30Z,10.0.0.7\n2026-11-15 10:00:30,10.0.0.7\n1794736830,10.0.0.7\n';
  const { code, out, err } = await attribute('--ip src --time t', log);
  assert.deepEqual(
    out
      .split('\n')
      .slice(1, -1)
      .map((row) => row.split(',')[2]),
    ['held', 'malformed', 'held'],
  );
  assert.equal(code, 2);
  assert.match(err, /3 rows: .*\nmost rows: .*\npodtrail: row 2: "2026-11-15 10:00:30" has no time zone\n/);
});

test('exit code 1 when not one row could be read, and 0 when one could', async () => {
  const none = await attribute('--ip src --time t', 't,src\nbad,10.0.0.7\nworse,10.0.0.7\n');
  assert.equal(none.code, 1);
  assert.match(none.err, /100\.0% malformed \(2\)\npodtrail: not one row could be read\nhint: /);
  assert.equal((await attribute('--ip src --time t', 't,src\nbad,10.0.0.7\n1794736830,10.0.0.7\n')).code, 0);
  assert.equal((await attribute('--ip nope --time t', '{"src":"10.0.0.7","t":1794736830}\n')).code, 1);
});

test('the answers do not depend on where chunks are cut', async () => {
  const text = `t,src,note\r\n${'2026-11-15T10:00:30Z,10.0.0.7,"x\r\ny"\r\n'.repeat(20)}`;
  const whole = await attribute('--ip src --time t', text);
  for (const size of [1, 2, 3, 7, 64]) {
    const cut = async function* () {
      for (let i = 0; i < text.length; i += size) yield Buffer.from(text.slice(i, i + size));
    };
    assert.equal((await attribute('--ip src --time t', '', { stdin: cut() })).out, whole.out, `${size}`);
  }
});

test('fault 29: a log does not speak to the terminal', async () => {
  const { out } = await attribute('--ip src --time t', 't,src,x\n2026-11-15T10:00:30Z,10.0.0.7,\u001b[31m\u202e\n', {
    isTTY: true,
  });
  assert.doesNotMatch(out, /\u001b|\u202e/);
  assert.match(out, /10\.0\.0\.7,\\e\[31m\\u\{202e\},held/);
});

test('progress is for terminals only, and the closing line is not', async () => {
  const slow = async function* () {
    yield Buffer.from('t,src\n');
    for (let i = 0; i < 3; i++) {
      time += 1000;
      yield Buffer.from('2026-11-15T10:00:30Z,10.0.0.7\n');
    }
  };
  let time = 0;
  const clock = { now: () => at(201), monotonic: () => time, setTimer: () => ({ cancel: () => {} }) };
  let err = '';
  const stderr = { isTTY: true, write: async (text: string | Uint8Array) => void (err += text) };
  await attribute('--ip src --time t', '', { stdin: slow(), clock, stderr });
  assert.match(err, /\r\u001b\[2K1 rows, 1 a second\r\u001b\[2K2 rows/);
  assert.match(err, /3 rows: 100\.0% held/);
  err = '';
  await attribute('--ip src --time t', '', { stdin: slow(), clock, stderr: { ...stderr, isTTY: false } });
  assert.equal(
    err.replace(/^asking .*\n/, ''),
    '3 rows: 100.0% held, 0.0% free, 0.0% ambiguous, 0.0% unknown\nmost rows: shop/web-1 3\n',
  );
});

test('answers that may still change are counted in the closing line', async () => {
  const rows = ['10:03:15', '10:03:18', '10:03:20.5'].map((time) => `2026-11-15T${time}Z,10.96.0.10\n`).join('');
  const { err } = await attribute('--ip src --time t', `t,src\n${rows}2026-11-15T10:03:18Z,10.0.0.99\n`);
  assert.match(err, /^4 rows: .*; 2 of them provisional: the watch has not confirmed those instants yet/);
});

test('Ctrl+C in the middle is exit code 130', async () => {
  const stop = new AbortController();
  const input = async function* () {
    yield Buffer.from('t,src\n2026-11-15T10:00:30Z,10.0.0.7\n');
    stop.abort();
    yield Buffer.from('2026-11-15T10:00:30Z,10.0.0.7\n');
  };
  assert.equal((await attribute('--ip src --time t', '', { stdin: input(), signal: stop.signal })).code, 130);
});

test('a column that is not there, twice there, and no input at all', async () => {
  const missing = await attribute('--ip nope --time t', 't,src\n');
  assert.deepEqual(
    [missing.code, missing.err],
    [2, 'podtrail: --ip nope: the input has no such column\nhint: it has t, src.\n'],
  );
  assert.match((await attribute('--ip a --time t', 't,a,a\n')).err, /has this column twice/);
  assert.equal((await attribute('--ip a --time t', '')).code, 2);
  const header = await attribute('--ip src --time t', 't,src\n');
  assert.deepEqual([header.code, header.out], [0, `t,src,${OURS}\n`]);
});

test('a file that is not there', async () => {
  const { code, err } = await run(['attribute', 'flows.csv', '--ip', 'a', '--time', 'b'], { engine });
  assert.equal(code, 1);
  assert.match(err, /^podtrail: flows\.csv does not exist\nhint: check the path; .*\n$/);
});

test('one row is a row, no rows are said to be none, and a file without anything says what to check', async () => {
  const one = await attribute('--ip ip --time time', 'time,ip\n2026-11-15T10:00:30Z,10.0.0.7\n');
  assert.match(one.err, /^1 row: 100\.0% held/);
  const none = await attribute('--ip ip --time time', 'time,ip\n');
  assert.equal(none.err, 'the input has no rows: there is nothing to ask about\n');
  const empty = await attribute('--ip ip --time time', '');
  assert.equal(empty.code, 2);
  assert.match(empty.err, /the input is empty: there is not even a header\nhint: check the path/);
});

test('a field of megabytes is shown by its two ends', async () => {
  const { err } = await attribute('--ip ip --time time', `time,ip\n2026-11-15T10:00:30Z,${'x'.repeat(2_000_000)}\n`);
  assert.match(err, /^row 1: "x{90,}…x*" is not an IP address$/m);
  assert.ok(err.length < 1_000, `${err.length}`);
});

test('the hint names each of several columns in one --ip', async () => {
  const input = 'time,src,dst\n2026-11-15T10:00:30Z,10.0.0.7,10.0.0.9\n';
  const { code, err } = await attribute('--ip src,dst --time time', input);
  assert.equal(code, 2);
  assert.match(err, /hint: it has time, src, dst; write --ip src --ip dst\./);
});

test('the columns of a log with semicolons are listed one by one when one that is asked for is missing', async () => {
  const { code, err } = await attribute('--ip src --time when', 'src;time\n10.0.0.7;2026-11-15T10:00:30Z\n');
  assert.equal(code, 2);
  assert.match(err, /--time when: the input has no such column\nhint: it has src, time\./);
});
