import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TrueTenure } from '@podtrail/sandbox';
import { flowLog } from './flow-log.ts';
import { calledAs, suggestions } from './suggestions.ts';

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 10, 15, 12);

function tenure(name: string, ip: string, from: number, to?: number): TrueTenure {
  const held = { namespace: 'shop', name, uid: `uid-${name}-${from}`, node: 'node-01', hostNetwork: false, ip, from };
  return to === undefined ? held : { ...held, to };
}

const TENURES = [
  tenure('cart-1', '10.244.0.5', NOON - 5 * HOUR, NOON - 4 * HOUR),
  tenure('db-0', '10.244.0.6', NOON - 5 * HOUR, NOON - 3 * HOUR),
  tenure('cart-2', '10.244.0.5', NOON - 3 * HOUR),
  tenure('db-0', '10.244.0.9', NOON - 2 * HOUR),
  { ...tenure('proxy', '172.18.0.2', NOON - 5 * HOUR), hostNetwork: true },
];

describe('commands to try', () => {
  const options = {
    tenures: TENURES,
    now: NOON,
    program: 'npx podtrail',
    store: '/tmp/x/ledger.db',
    flows: '/tmp/x/f.csv',
  };
  const commands = suggestions(options).map(({ command }) => command);

  test('who asks about an address that somebody else has had since, in the middle of the first', () => {
    assert.equal(commands[0], 'npx podtrail who 10.244.0.5 --at 2026-11-15T07:30:00Z --store sqlite:/tmp/x/ledger.db');
  });

  test('trail is of the name under which most pods have lived', () => {
    assert.match(commands[1] ?? '', /trail db-0 -n shop /);
  });

  test('nothing is said of them that did not happen', () => {
    const why = (tenures: readonly TrueTenure[]) => suggestions({ ...options, tenures }).map((one) => one.why);
    assert.equal(why(TENURES)[0], 'who held 10.244.0.5 then (somebody else has had it since)');
    assert.equal(why(TENURES)[1], 'the trail of a pod that came back once');
    const single = why(TENURES.slice(0, 1));
    assert.deepEqual(single.slice(0, 2), ['who held 10.244.0.5 then', 'the trail of a pod']);
  });

  test('they call podtrail as it can be called: by npx in a clone and where npx started it, else by its name', () => {
    const bundle = 'file:///usr/lib/node_modules/podtrail/lib/demo-ABC.js';
    assert.equal(calledAs({}), 'npx podtrail');
    assert.equal(calledAs({ npm_command: 'exec' }, bundle), 'npx podtrail');
    assert.equal(calledAs({}, bundle), 'podtrail');
  });

  test('there are five, and none without a store', () => {
    assert.equal(commands.length, 5);
    for (const command of commands) assert.match(command, /--store sqlite:\/tmp\/x\/ledger\.db$/);
  });

  test('a cluster without pods has nothing to ask about', () => {
    assert.deepEqual(suggestions({ ...options, tenures: [] }), []);
  });
});

describe('a flow log', () => {
  test('has the rows that were asked for, in order, each at a time at which its source was held', () => {
    let state = 7;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const text = flowLog(TENURES, { rows: 200, from: NOON - 24 * HOUR, to: NOON, random });
    const [header, ...lines] = text.trimEnd().split('\n');
    assert.equal(header, 'time,src_ip,dst_ip,dst_port,bytes');
    assert.equal(lines.length, 200);
    let last = 0;
    for (const line of lines) {
      const [time = '', ip = ''] = line.split(',');
      const at = Date.parse(time);
      assert.ok(at >= last, 'in order');
      last = at;
      assert.ok(
        TENURES.some((held) => held.ip === ip && !held.hostNetwork && held.from <= at && at <= (held.to ?? NOON)),
        line,
      );
    }
  });
});
