// The addresses in the status of a pod: what is joined, what is refused. A ledger of addresses stands on them.
import type { Area, Stage } from '../case.ts';
import { aPod, core } from '../objects.ts';
import type { Answer, Json } from '../raw-client.ts';

const ips = (...list: readonly string[]): readonly Json[] => list.map((ip) => ({ ip }));
const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const ONE_EACH = 'may specify no more than one IP for each IP family';

async function aStatus(server: Stage): Promise<(status: Json) => Promise<Answer>> {
  const path = core(await server.namespace(), 'pods');
  let count = 0;
  return async (status) => {
    const name = `p${count++}`;
    await server.client.create(path, aPod(name));
    return server.client.patch(`${path}/${name}/status`, 'merge', { status });
  };
}

export const podAddresses: Area = {
  area: 'addresses of pods',
  cases: [
    {
      name: 'podIP and podIPs are one list, and podIP wins where they differ',
      async run(server, assert) {
        const patched = await aStatus(server);
        for (const [what, status, list] of [
          ['both', { podIP: '10.0.0.1', podIPs: ips('10.0.0.1', 'fd00::1') }, ips('10.0.0.1', 'fd00::1')],
          ['podIP alone', { podIP: '10.0.0.1' }, ips('10.0.0.1')],
          ['podIPs alone', { podIPs: ips('10.0.0.1', 'fd00::1') }, ips('10.0.0.1', 'fd00::1')],
          ['another podIP', { podIP: '10.0.0.1', podIPs: ips('fd00::2', '10.0.0.1') }, ips('10.0.0.1')],
          ['long and upper case', { podIP: 'FD00:0:0:0:0:0:0:1' }, ips('FD00:0:0:0:0:0:0:1')],
        ] as const) {
          const { status: code, json } = await patched(status);
          assert.equal(code, 200, what);
          assert.deepEqual([json.status?.podIP, json.status?.podIPs], [list[0].ip, list], what);
        }
      },
    },
    {
      name: 'a pod loses its addresses only when both fields go',
      async run(server, assert) {
        const path = core(await server.namespace(), 'pods');
        await server.client.create(path, aPod('a'));
        const patched = async (status: Json) => {
          const { json } = await server.client.patch(`${path}/a/status`, 'merge', { status });
          return [json.status?.podIP, json.status?.podIPs];
        };
        await patched({ podIP: '10.0.0.1', podIPs: ips('10.0.0.1', 'fd00::1') });
        assert.deepEqual(await patched({ podIP: '10.0.0.5' }), ['10.0.0.5', ips('10.0.0.5')], 'another podIP');
        assert.deepEqual(await patched({ podIPs: ips('10.0.0.6') }), ['10.0.0.5', ips('10.0.0.5')], 'other podIPs');
        assert.deepEqual(await patched({ podIP: '' }), ['10.0.0.5', ips('10.0.0.5')], 'a blank podIP');
        assert.deepEqual(await patched({ podIPs: null }), ['10.0.0.5', ips('10.0.0.5')], 'no podIPs');
        assert.deepEqual(await patched({ podIP: null, podIPs: null }), [undefined, undefined], 'neither');
      },
    },
    {
      name: 'addresses of a pod must be addresses',
      async run(server, assert) {
        const patched = await aStatus(server);
        for (const [address, why] of [
          ['x', NO_ADDRESS],
          ['***HIDDEN***', NO_ADDRESS],
          ['10.1', NO_ADDRESS],
          [' 10.0.0.1', NO_ADDRESS],
          ['10.0.0.1/24', NO_ADDRESS],
          ['fe80::1%eth0', NO_ADDRESS],
          ['010.0.0.1', 'must not have leading 0s'],
          ['::ffff:10.0.0.1', 'must not be an IPv4-mapped IPv6 address'],
        ] as const) {
          const { status, json } = await patched({ podIP: address, podIPs: ips(address) });
          assert.equal(status, 422, address);
          const cause = { reason: 'FieldValueInvalid', message: `Invalid value: "${address}": ${why}` };
          assert.deepEqual(json.details?.causes, [{ ...cause, field: 'status.podIPs[0]' }], address);
        }
        assert.equal((await patched({ podIPs: [{}] })).status, 422, 'an entry without an address');
        assert.equal((await patched({ podIP: '0.0.0.0' })).status, 200, 'the unspecified one');
      },
    },
    {
      name: 'a pod has at most one address of each family',
      async run(server, assert) {
        const patched = await aStatus(server);
        for (const list of [
          ['10.0.0.1', '10.0.0.2'],
          ['10.0.0.1', '10.0.0.1'],
          ['fd00::1', 'fd00::2'],
          ['10.0.0.1', 'fd00::1', 'fd00::2'],
        ]) {
          const { status, json } = await patched({ podIP: list[0], podIPs: ips(...list) });
          assert.equal(status, 422, list.join());
          const value = JSON.stringify(list.map((IP) => ({ IP })));
          const cause = { reason: 'FieldValueInvalid', message: `Invalid value: ${value}: ${ONE_EACH}` };
          assert.deepEqual(json.details?.causes, [{ ...cause, field: 'status.podIPs' }], list.join());
        }
        const { json } = await patched({ podIP: '10.0.0.1', podIPs: ips('10.0.0.1', 'y') });
        const reasons = json.details?.causes.map(({ reason, field }: Json) => `${reason} ${field}`);
        const expected = [
          'FieldValueInvalid status.podIPs[1]',
          'InternalError status.podIPs',
          'FieldValueInvalid status.podIPs',
        ];
        assert.deepEqual(reasons, expected, 'one that is no address');
      },
    },
    {
      name: 'hostIPs begin with hostIP and are checked as podIPs are',
      async run(server, assert) {
        const patched = await aStatus(server);
        const refusals = async (status: Json): Promise<string[]> => {
          const { json } = await patched(status);
          return (json.details?.causes ?? []).map(({ field, message }: Json) => `${field}: ${message}`);
        };
        const equal = 'status.hostIPs[0].ip: Invalid value: "10.1.0.2": must be equal to `hostIP`';
        assert.deepEqual(await refusals({ hostIPs: ips('10.1.0.2') }), [equal], 'without hostIP');
        assert.deepEqual(await refusals({ hostIP: '10.1.0.1', hostIPs: ips('10.1.0.2') }), [equal], 'another');
        const bad = `status.hostIPs[0]: Invalid value: "x": ${NO_ADDRESS}`;
        assert.deepEqual(await refusals({ hostIP: 'x', hostIPs: ips('x') }), [bad], 'no address');
        assert.deepEqual(await refusals({ hostIP: 'x' }), [], 'hostIP alone is not checked');
        const two = { hostIP: '10.1.0.1', hostIPs: ips('10.1.0.1', '10.1.0.2') };
        const value = '[{"IP":"10.1.0.1"},{"IP":"10.1.0.2"}]';
        assert.deepEqual(await refusals(two), [`status.hostIPs: Invalid value: ${value}: ${ONE_EACH}`], 'two');
      },
    },
  ],
};
