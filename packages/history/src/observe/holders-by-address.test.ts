import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { IpAddress } from '../model/ip-address.ts';
import { HoldersByAddress } from './holders-by-address.ts';

test('an address has the holders that were added and not removed, in their order', () => {
  const step = fc.record({
    kind: fc.constantFrom('add', 'remove'),
    ip: fc.constantFrom('10.0.0.1', '10.0.0.2'),
    uid: fc.constantFrom('a', 'b', 'c'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const holders = new HoldersByAddress();
      const model = new Map<string, Set<string>>();
      for (const { kind, ip, uid } of steps) {
        const set = model.get(ip) ?? new Set();
        model.set(ip, set);
        if (kind === 'add') set.add(uid);
        else set.delete(uid);
        if (kind === 'add') holders.add(ip as IpAddress, uid);
        else holders.remove(ip as IpAddress, uid);
        for (const [of, uids] of model) assert.deepEqual(holders.of(of as IpAddress), [...uids]);
      }
    }),
    { numRuns: 500, seed: 20_261_116 },
  );
});
