import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { Engine } from '@podtrail/history';
import { run } from '../../testing/run-in-process.ts';
import { aStory, at } from '../../testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

// In the story 10.0.0.7 is web-1's until 10:00:59 and job-2's from 10:01:09 on, 10.0.0.5 is db-0's throughout.
const attribute = (words: readonly string[], input: string | Uint8Array, options = {}) =>
  run(['attribute', '-', ...words], { engine, now: at(201), input, ...options });

/** 2026-11-15T10:00:30Z. */
const AT = 1794736830;

const VPC = `version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status
2 123456789010 eni-1235b8ca123456789 10.0.0.7 10.0.0.5 49152 5432 6 20 4249 ${AT} ${AT + 5} ACCEPT OK
2 123456789010 eni-1235b8ca123456789 10.0.0.9 8.8.8.8 49152 53 17 1 80 ${AT} ${AT + 5} REJECT OK
2 123456789010 eni-1235b8ca123456789 - - - - - - - ${AT} ${AT + 60} - NODATA
2 123456789010 eni-1235b8ca123456789 - - - - - - - ${AT} ${AT + 60} - SKIPDATA
`;
const VPC_CUSTOM = `pkt-srcaddr start version tcp-flags end pkt-dstaddr flow-direction srcaddr dstaddr pkt-src-aws-service
10.0.0.7 ${AT} 5 2 ${AT + 5} 10.0.0.5 egress 192.168.0.1 192.168.0.1 -
`;
const GCP = {
  insertId: '1x8t9cafa1hdx2',
  jsonPayload: {
    bytes_sent: '4249',
    connection: { dest_ip: '10.0.0.5', dest_port: 5432, protocol: 6, src_ip: '10.0.0.7', src_port: 49152 },
    start_time: '2026-11-15T10:00:30.123456789Z',
    end_time: '2026-11-15T10:00:35.987654321Z',
    reporter: 'SRC',
  },
  logName: 'projects/shop/logs/compute.googleapis.com%2Fvpc_flows',
  timestamp: '2026-11-15T10:00:41Z',
};
const NSG = {
  records: [
    {
      time: '2026-11-15T10:01:00.0000000Z',
      category: 'NetworkSecurityGroupFlowEvent',
      operationName: 'NetworkSecurityGroupFlowEvents',
      properties: {
        Version: 2,
        flows: [
          {
            rule: 'DefaultRule_AllowVnetInBound',
            flows: [
              {
                mac: '000D3AF87856',
                flowTuples: [
                  `${AT},10.0.0.7,10.0.0.5,49152,5432,T,O,A,B,,,,`,
                  `${AT},10.0.0.5,10.0.0.7,5432,49152,T,I,A,E,20,4249,10,2000`,
                ],
              },
            ],
          },
        ],
      },
    },
  ],
};
const VNET = {
  records: [
    {
      time: '2026-11-15T10:01:00.5625085Z',
      flowLogVersion: 4,
      macAddress: '112233445566',
      category: 'FlowLogFlowEvent',
      flowRecords: {
        flows: [
          {
            aclID: '00000000-1234-abcd-ef00-c1c2c3c4c5c6',
            flowGroups: [
              {
                rule: 'DefaultRule_AllowInternetOutBound',
                flowTuples: [`${AT}599,10.0.0.7,10.0.0.5,49152,5432,6,O,E,NX,20,4249,10,2000`],
              },
            ],
          },
        ],
      },
    },
  ],
};
const HUBBLE = {
  flow: {
    time: '2026-11-15T10:00:30.437712381Z',
    verdict: 'FORWARDED',
    IP: { source: '10.0.0.7', destination: '10.0.0.5', ipVersion: 'IPv4' },
    l4: { TCP: { source_port: 49152, destination_port: 5432, flags: { SYN: true } } },
    is_reply: false,
  },
  node_name: 'node-a',
  time: '2026-11-15T10:00:30.437712381Z',
};
const ZEEK_NAMES =
  'ts uid id.orig_h id.orig_p id.resp_h id.resp_p proto service duration orig_bytes resp_bytes resp_pkts';
const ZEEK_TEXT = [
  '#separator \\x09',
  '#set_separator\t,',
  '#empty_field\t(empty)',
  '#unset_field\t-',
  '#path\tconn',
  '#open\t2026-11-15-10-00-00',
  `#fields\t${ZEEK_NAMES.split(' ').join('\t')}`,
  '#types\ttime\tstring\taddr\tport\taddr\tport\tenum\tstring\tinterval\tcount\tcount\tcount',
  `${AT}.437712\tCHhAvVGS1DHFjwGM9\t10.0.0.7\t49152\t10.0.0.5\t5432\ttcp\t-\t5.500000\t20\t4249\t4`,
  `${AT}.437712\tCHhAvVGS1DHFjwGM8\t10.0.0.9\t49152\t10.0.0.5\t53\tudp\tdns\t-\t-\t-\t0`,
  '#close\t2026-11-15-11-00-00',
  '',
].join('\n');
const ZEEK_JSON = {
  ts: AT + 0.4377,
  uid: 'CHhAvVGS1DHFjwGM9',
  'id.orig_h': '10.0.0.7',
  'id.orig_p': 49152,
  'id.resp_h': '10.0.0.5',
  'id.resp_p': 5432,
  proto: 'tcp',
  duration: 5.5,
  resp_pkts: 4,
};
const SURICATA = {
  timestamp: '2026-11-15T10:00:50.123456+0000',
  flow_id: 1805461738637437,
  event_type: 'flow',
  src_ip: '10.0.0.7',
  src_port: 49152,
  dest_ip: '10.0.0.5',
  dest_port: 5432,
  proto: 'TCP',
  flow: {
    pkts_toserver: 20,
    pkts_toclient: 10,
    bytes_toserver: 4249,
    bytes_toclient: 2000,
    start: '2026-11-15T10:00:30.123456+0000',
    end: '2026-11-15T10:00:35.123456+0000',
  },
};
const FALCO = {
  hostname: 'node-a',
  output: '10:00:30.437712381: Notice Unexpected connection (connection=10.0.0.7:49152->10.0.0.5:5432)',
  priority: 'Notice',
  rule: 'Unexpected outbound connection destination',
  source: 'syscall',
  tags: ['network'],
  time: '2026-11-15T10:00:30.437712381Z',
  output_fields: { 'fd.name': '10.0.0.7:49152->10.0.0.5:5432', 'proc.name': 'nc' },
};
const ENVOY_TEXT =
  '[2026-11-15T10:00:30.310Z] "POST /api/v1/carts HTTP/1.1" 204 - 154 20 226 100 "10.0.0.7, 10.0.0.9" "curl/8" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "db" "tcp://10.0.0.5:5432"\n';
const ISTIO_TEXT =
  '[2026-11-15T10:00:30.310Z] "GET / HTTP/1.1" 200 - via_upstream - "-" 0 20 5 4 "-" "curl/8" "cc21d9b0" "db:5432" "10.0.0.5:5432" outbound|5432||db.shop.svc.cluster.local 10.0.0.7:49152 10.96.0.10:5432 10.0.0.7:49150 - default\n';
const ENVOY_JSON = {
  start_time: '2026-11-15T10:00:30.310Z',
  downstream_remote_address: '10.0.0.7:49150',
  upstream_host: '10.0.0.5:5432',
  duration: 5,
  bytes_sent: 20,
  method: 'GET',
};
const AUDIT = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: '1b2c4a2e-0b1d-4b5d-8d3a-6f2b8a1e7c10',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/secrets',
  verb: 'list',
  user: { username: 'system:serviceaccount:shop:web' },
  sourceIPs: ['10.0.0.7'],
  requestReceivedTimestamp: '2026-11-15T10:00:30.437712Z',
  stageTimestamp: '2026-11-15T10:00:30.441012Z',
};
const TRAIL = {
  Records: [
    {
      eventVersion: '1.08',
      eventTime: '2026-11-15T10:00:30Z',
      eventSource: 's3.amazonaws.com',
      eventName: 'GetObject',
      awsRegion: 'eu-central-1',
      sourceIPAddress: '10.0.0.7',
    },
    {
      eventVersion: '1.08',
      eventTime: '2026-11-15T10:00:30Z',
      eventSource: 'kms.amazonaws.com',
      eventName: 'Decrypt',
      awsRegion: 'eu-central-1',
      sourceIPAddress: 'eks.amazonaws.com',
    },
  ],
};

const lines = (...records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** Both pods are found in the first row, by name and by the look of the input. */
const FORMATS: readonly (readonly [sentence: string, name: string, input: string])[] = [
  ['VPC flow logs with a header', 'vpc', VPC],
  ['VPC flow logs without a header', 'vpc', VPC.slice(VPC.indexOf('\n') + 1)],
  [
    'VPC flow logs from CloudWatch, with a time before',
    'vpc',
    VPC.split('\n')
      .slice(1, 2)
      .map((line) => `2026-11-15T10:05:00.000Z ${line}\n`)
      .join(''),
  ],
  ['VPC flow logs of version 5 in an order of their own, with the packet’s addresses', 'vpc', VPC_CUSTOM],
  ['GCP flow logs as lines', 'gcp-vpc', lines(GCP, GCP)],
  ['GCP flow logs as an array', 'gcp-vpc', JSON.stringify([GCP, GCP], null, 2)],
  ['Azure NSG flow logs on one line', 'azure-nsg', JSON.stringify(NSG)],
  ['Azure NSG flow logs, indented', 'azure-nsg', JSON.stringify(NSG, null, 2)],
  ['Azure VNet flow logs', 'azure-vnet', JSON.stringify(VNET)],
  ['Hubble, exported', 'hubble', lines(HUBBLE)],
  ['Hubble, as its older command writes it', 'hubble', lines(HUBBLE.flow)],
  ['Zeek as text', 'zeek', ZEEK_TEXT],
  ['Zeek as JSON', 'zeek', lines(ZEEK_JSON)],
  ['Suricata', 'suricata', lines(SURICATA)],
  ['Falco', 'falco', lines(FALCO)],
  ['Envoy as text', 'envoy', ENVOY_TEXT],
  ['Envoy as Istio writes it', 'envoy', ISTIO_TEXT],
  ['Envoy as JSON', 'envoy', lines(ENVOY_JSON)],
];

for (const [sentence, name, input] of FORMATS) {
  test(`${sentence}: both ends are found, by name and by look`, async () => {
    for (const words of [[], ['--format', name]]) {
      const { code, out, err } = await attribute([...words, '-o', 'jsonl'], input);
      assert.equal(code, 0, err);
      const row = JSON.parse(out.split('\n')[0] ?? '');
      assert.deepEqual(
        [row.src_answer, row.src_namespace, row.src_pod, row.dst_answer, row.dst_pod],
        ['held', 'shop', 'web-1', 'held', 'db-0'],
        words.join(' '),
      );
      const csv = await attribute([...words, '-o', 'csv'], input);
      const [header = '', first = ''] = csv.out.split('\r\n');
      assert.match(header, /,src_answer,.*,src_candidates,src_overlap,src_reason,src_last,src_next,dst_answer,/);
      assert.match(first, /,held,Pod,shop,web-1,.*,held,Pod,shop,db-0,/);
    }
  });
}

test('Kubernetes audit events: the first source, and the peer where it is another', async () => {
  const proxied = { ...AUDIT, sourceIPs: ['203.0.113.9', '10.0.0.7'] };
  for (const input of [
    lines(AUDIT, proxied),
    JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [AUDIT, proxied] }),
  ]) {
    const { out, code } = await attribute([], input);
    assert.equal(code, 0);
    const [first, second] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([first.src_pod, first.peer_answer], ['web-1', '']);
    assert.deepEqual([second.src_answer, second.peer_pod], ['free', 'web-1']);
  }
});

test('CloudTrail: the records of a document; a service that acts by itself asks nothing', async () => {
  const { out, code, err } = await attribute([], JSON.stringify(TRAIL));
  assert.equal(code, 0);
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(({ answer, pod }) => [answer, pod]),
    [
      ['held', 'web-1'],
      ['', ''],
    ],
  );
  assert.match(err, /^2 rows: 50\.0% held, .*, 50\.0% without an address \(1\)$/m);
});

test('VPC: NODATA and SKIPDATA rows are kept, and text stays text with a sign for nothing', async () => {
  const { out, code, err } = await attribute([], VPC);
  assert.equal(code, 0);
  const rows = out.trimEnd().split('\n');
  assert.equal(rows.length, 5);
  assert.match(rows[0] ?? '', / log-status src_answer src_kind .* src_next dst_answer .* dst_next$/);
  assert.ok(
    rows.every((row) => row.split(' ').length === 14 + 2 * 14),
    'every row has every column',
  );
  assert.match(rows[1] ?? '', / ACCEPT OK held Pod shop web-1 /);
  assert.match(rows[3] ?? '', / - NODATA(?: -){28}$/);
  assert.match(rows[4] ?? '', / - SKIPDATA(?: -){28}$/);
  assert.match(err, /^4 rows: src 25\.0% held, .*50\.0% without an address \(2\); dst 25\.0% held, /m);
  assert.match(err, /^most rows: shop\/db-0 1, shop\/web-1 1$/m);
});

test('Azure: each flow tuple is a row, with what its record says of it', async () => {
  const { out } = await attribute([], JSON.stringify(NSG));
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    rows.map(({ src_pod, dst_pod, rule, src_port }) => [src_pod, dst_pod, rule, src_port]),
    [
      ['web-1', 'db-0', 'DefaultRule_AllowVnetInBound', '49152'],
      ['db-0', 'web-1', 'DefaultRule_AllowVnetInBound', '5432'],
    ],
  );
});

test('Zeek: the text stays a log of Zeek, with our fields and types', async () => {
  const { out } = await attribute([], ZEEK_TEXT);
  const rows = out.split('\n');
  assert.equal(rows[0], '#separator \\x09');
  assert.match(rows[6] ?? '', /^#fields\tts\tuid\t.*\tresp_pkts\tsrc_answer\t.*\tdst_next$/);
  assert.equal(rows[6]?.split('\t').length, rows[7]?.split('\t').length);
  assert.equal(rows[8]?.split('\t').length, (rows[7]?.split('\t').length ?? 0) - 1);
  assert.match(rows[8] ?? '', /\theld\tPod\tshop\tweb-1\t/);
  assert.match(rows[10] ?? '', /^#close/);
});

test('events without addresses are rows without a question', async () => {
  const stats = { timestamp: '2026-11-15T10:00:50.123456+0000', event_type: 'stats', stats: { uptime: 1 } };
  const shell = { ...FALCO, output_fields: { 'proc.name': 'bash' } };
  for (const input of [lines(SURICATA, stats), lines(FALCO, shell)]) {
    const { out, code, err } = await attribute([], input);
    assert.equal(code, 0);
    assert.equal(JSON.parse(out.split('\n')[1] ?? '').src_answer, '');
    assert.match(err, /without an address \(1\)/);
  }
});

test('a bad row never stops a run, in any format', async () => {
  const bad: readonly string[] = [
    lines(HUBBLE) + '{"flow":\n' + lines(HUBBLE),
    lines(AUDIT) + '{"kind":"Event"}\n' + lines(AUDIT),
    lines(SURICATA, { ...SURICATA, src_ip: 'nobody' }, SURICATA),
    VPC.split('\n').slice(0, 2).join('\n') + '\n2 x\n' + VPC.split('\n')[1] + '\n',
    ENVOY_TEXT + 'what is this\n' + ENVOY_TEXT,
  ];
  for (const input of bad) {
    const { code, err } = await attribute(['-o', 'jsonl'], input);
    assert.equal(code, 0);
    assert.match(err, /^3 rows: .*33\.3% malformed \(1\)/m);
  }
});

test('gzip and zstd are unpacked whatever they are called, also in several members; one that breaks off says so', async () => {
  const once = (await attribute([], VPC)).out;
  const [header = '', ...rows] = VPC.split(/(?<=\n)/);
  for (const pack of [gzipSync, zstdCompressSync]) {
    assert.equal((await attribute([], pack(VPC))).out, once);
    assert.equal((await attribute([], Buffer.concat([pack(header), pack(rows.join(''))]))).out, once);
    const cut = await attribute([], pack(VPC.repeat(50)).subarray(0, 60));
    assert.equal(cut.code, 1);
    assert.match(cut.err, /the input is damaged, or breaks off/);
  }
});

test('files and directories are one log, in order, with one header; what is no log in a directory is left out', async () => {
  const header = VPC.slice(0, VPC.indexOf('\n') + 1);
  const files = {
    'logs/b/2.log.gz': gzipSync(VPC),
    'logs/a/1.log': VPC,
    'logs/c.bin': Buffer.alloc(200, 1),
    'more.log': VPC,
  };
  const { out, code, err } = await run(['attribute', 'logs', 'more.log'], { engine, now: at(201), files });
  assert.equal(code, 0);
  assert.equal(out.split('\n').filter((line) => line.startsWith(header.slice(0, 20))).length, 1);
  assert.match(err, /logs\/c\.bin is left out: it is binary/);
  assert.match(err, /^12 rows: /m);
  const other = await run(['attribute', 'more.log', 'other.log'], {
    engine,
    now: at(201),
    files: { ...files, 'other.log': VPC_CUSTOM },
  });
  assert.equal(other.code, 1);
  assert.match(other.err, /other\.log has other columns than more\.log\nhint: .*-o jsonl/);
  const json = await run(['attribute', 'more.log', 'other.log', '-o', 'jsonl'], {
    engine,
    now: at(201),
    files: { ...files, 'other.log': VPC_CUSTOM },
  });
  assert.deepEqual([json.code, json.out.trimEnd().split('\n').length], [0, 5]);
});

const NOT_TEXT: readonly (readonly [sentence: string, input: Uint8Array, says: RegExp])[] = [
  ['UTF-16 with a mark', Buffer.from('\ufefft,src\n', 'utf16le'), /the input is UTF-16\nhint: .*iconv/],
  [
    'UTF-16 without one',
    Buffer.from('t,src,time\n1,2,3\n', 'utf16le'),
    /the input is UTF-16 without a mark\nhint: .*iconv/,
  ],
  ['Parquet', Buffer.from('PAR1\u0015\u0004\u0015\u0000'), /the input is Parquet\nhint: /],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4]), /packed with xz\nhint: unpack/],
  [
    'bytes of any kind',
    Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7) % 32)),
    /binary, of a kind that is not known\nhint: /,
  ],
];

for (const [sentence, input, says] of NOT_TEXT) {
  test(`what is not text gets a sentence: ${sentence}`, async () => {
    const { code, err } = await attribute(['--ip', 'src', '--time', 't'], input);
    assert.equal(code, 1);
    assert.match(err, says);
  });
}

test('tabs, semicolons, bars and spaces are delimiters by the names of the columns, and stay what they are', async () => {
  for (const delimiter of ['\t', ';', '|', ' ']) {
    const input = `t,src,x\n${AT},10.0.0.7,1\n`.replaceAll(',', delimiter);
    const { code, out } = await attribute(['--ip', 'src', '--time', 't'], input);
    assert.equal(code, 0);
    const [header = '', row = ''] = out.split('\n');
    assert.deepEqual(header.split(delimiter).slice(0, 7), ['t', 'src', 'x', 'answer', 'kind', 'namespace', 'pod']);
    assert.deepEqual(row.split(delimiter).slice(0, 7), [String(AT), '10.0.0.7', '1', 'held', 'Pod', 'shop', 'web-1']);
    const csv = await attribute(['--ip', 'src', '--time', 't', '-o', 'csv'], input);
    assert.match(csv.out, /^t,src,x,answer,.*\r\n\d+,10\.0\.0\.7,1,held,Pod,shop,web-1,/);
  }
});

test('--columns names the columns of an input without a header', async () => {
  const { out } = await attribute(['--columns', 't,src,x', '--ip', 'src', '--time', 't'], `${AT};10.0.0.7;1\n`);
  assert.match(out, /^t;src;x;answer;.*\n\d+;10\.0\.0\.7;1;held;Pod;shop;web-1;/);
  const custom = VPC_CUSTOM.split('\n');
  const names = (custom[0] ?? '').replaceAll(' ', ',');
  const vpc = await attribute(['--format', 'vpc', '--columns', names], `${custom[1]}\n`);
  assert.match(vpc.out, / held Pod shop web-1 .* held Pod shop db-0 /);
});

test('JSON arrays and paths into lists; a format that is recognised takes other columns too', async () => {
  const rows = [
    { when: AT, ips: ['1.1.1.1', '10.0.0.7'] },
    { when: AT, ips: ['1.1.1.1'] },
  ];
  const { out } = await attribute(['--ip', 'ips[1]', '--time', 'when'], JSON.stringify(rows, null, 1));
  const [first, second] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    [first.pod, second.answer, second.problem],
    ['web-1', 'malformed', 'ips[1] is not there, or not a text'],
  );
  const audit = await attribute(['--ip', 'sourceIPs[0]'], lines(AUDIT));
  assert.equal(JSON.parse(audit.out).pod, 'web-1');
  const proxy = await attribute(
    ['--ip', 'peer', '--time', 't'],
    `{"peer":"10.0.0.7:443","t":${AT}}\n{"peer":"[fd00::1]:443","t":${AT}}\n`,
  );
  assert.deepEqual(
    proxy.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).answer),
    ['held', 'free'],
  );
});

test('what is not recognised needs its columns, and the error lists the formats', async () => {
  const { code, err } = await attribute([], 'a,b\n1,2\n');
  assert.equal(code, 2);
  assert.match(err, /the format of the input is not recognised\nhint: .*--ip and --time.*vpc.*cloudtrail/);
});

test('a file of a directory whose format is not recognised is left out and counted; if none is, the error names one', async () => {
  const files = {
    'logs/README.txt': 'hello world\n',
    'logs/flows.log': VPC,
    'notes/a.txt': 'hello\n',
    'notes/b.bin': Buffer.alloc(200, 1),
  };
  const some = await run(['attribute', 'logs'], { engine, now: at(201), files });
  assert.equal(some.code, 0, some.err);
  assert.equal(some.out, (await attribute([], VPC)).out);
  assert.match(some.err, /^logs\/README\.txt is left out: its format is not recognised$/m);
  assert.match(some.err, /; 1 file was left out$/m);
  const none = await run(['attribute', 'notes'], { engine, now: at(201), files });
  assert.equal(none.code, 2);
  assert.match(none.err, /the format of notes\/a\.txt is not recognised\nhint: .*--ip and --time.*vpc/);
  const alone = await run(['attribute', 'notes/a.txt'], { engine, now: at(201), files });
  assert.match(alone.err, /the format of notes\/a\.txt is not recognised/);
});
