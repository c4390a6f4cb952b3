// Label and field selectors of lists.
import type { Area, Stage } from '../case.ts';
import { aConfigMap, aNode, aPod, core } from '../objects.ts';
import type { Json } from '../raw-client.ts';

const OPERATORS: readonly (readonly [string, readonly string[]])[] = [
  ['app=web', ['a', 'b']],
  ['app==web', ['a', 'b']],
  ['app!=web', ['c', 'd']],
  ['app in (web, db)', ['a', 'b', 'c']],
  ['app notin (web)', ['c', 'd']],
  ['tier', ['a', 'c']],
  ['!tier', ['b', 'd']],
  ['app=web,tier=front', ['a']],
  ['app=web,!tier', ['b']],
  ['size>2', ['c']],
  ['size<2', ['a']],
  ['empty=', ['d']],
  ['app in ()', []],
  ['  app  =  web  ', ['a', 'b']],
  ['none', []],
];

const OBJECTS: Readonly<Record<string, Record<string, string>>> = {
  a: { set: 'yes', app: 'web', tier: 'front', size: '1' },
  b: { set: 'yes', app: 'web', size: '2' },
  c: { set: 'yes', app: 'db', tier: 'back', size: '10' },
  d: { set: 'yes', empty: '' },
};

async function names(server: Stage, path: string, query: Record<string, string>): Promise<string[]> {
  const { status, json, text } = await server.client.get(`${path}?${new URLSearchParams(query)}`);
  if (status !== 200) return [`${status} ${text}`];
  return json.items.map((item: Json) => item.metadata.name);
}

export const selectors: Area = {
  area: 'selectors',
  cases: [
    {
      name: 'every operator of label selectors',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        for (const [name, labels] of Object.entries(OBJECTS))
          await server.client.create(path, aPod(name, {}, { labels }));
        for (const [labelSelector, expected] of OPERATORS) {
          assert.deepEqual(await names(server, path, { labelSelector }), expected, `"${labelSelector}"`);
        }
      },
    },
    {
      name: 'a label selector that cannot be parsed is 400 with the reason',
      async run(server, assert) {
        const refuse = async (labelSelector: string, message: string | RegExp) => {
          const query = new URLSearchParams({ labelSelector });
          const answer = await server.client.get(`/api/v1/namespaces/default/pods?${query}`);
          assert.refused(answer, { code: 400, reason: 'BadRequest', message }, `"${labelSelector}"`);
        };
        await refuse('a===b', "unable to parse requirement: found '=', expected: identifier");
        await refuse('a foo b', "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt");
        await refuse('-a', /^unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of/);
        await refuse('a in (b', /^unable to parse requirement: found '', expected: ',' or '\)'$/);
        await refuse(
          'a>b',
          /^unable to parse requirement: values\[0\]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer$/,
        );
      },
    },
    {
      name: 'field selectors of pods',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'pods');
        await server.client.create(path, aPod('a', { nodeName: 'node-x', restartPolicy: 'Never' }));
        await server.client.create(path, aPod('b', { nodeName: 'node-y' }));
        await server.client.create(path, aPod('c'));
        const status = { phase: 'Running', podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] };
        await server.client.patch(`${path}/a/status`, 'merge', { status });
        for (const [fieldSelector, expected] of [
          ['metadata.name=a', ['a']],
          [`metadata.namespace=${namespace}`, ['a', 'b', 'c']],
          ['metadata.namespace=other', []],
          ['spec.nodeName=node-y', ['b']],
          ['spec.nodeName!=node-y', ['a', 'c']],
          ['spec.nodeName=', ['c']],
          ['status.phase=Running', ['a']],
          ['status.phase!=Running', ['b', 'c']],
          ['status.podIP=10.0.0.7', ['a']],
          ['spec.restartPolicy=Never', ['a']],
          ['spec.schedulerName=default-scheduler,status.phase==Pending', ['b', 'c']],
        ] as const) {
          assert.deepEqual(await names(server, path, { fieldSelector }), expected, `"${fieldSelector}"`);
        }
        const everywhere = { fieldSelector: `spec.nodeName=node-y,metadata.namespace=${namespace}` };
        assert.deepEqual(await names(server, '/api/v1/pods', everywhere), ['b'], 'over all namespaces');
        const both = { fieldSelector: 'spec.nodeName!=', labelSelector: '!x' };
        assert.deepEqual(await names(server, path, both), ['a', 'b'], 'with a label selector');
      },
    },
    {
      name: 'an unknown field is 400 and named',
      async run({ client }, assert) {
        const refuse = async (path: string, message: string) =>
          assert.refused(await client.get(path), { code: 400, reason: 'BadRequest', message }, path);
        await refuse('/api/v1/pods?fieldSelector=spec.foo%3Dx', 'field label not supported: spec.foo');
        await refuse(
          '/api/v1/configmaps?fieldSelector=data.a%3Dx',
          '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
        );
        await refuse('/api/v1/nodes?fieldSelector=spec.podCIDR%3Dx', 'field label not supported: spec.podCIDR');
        await refuse('/api/v1/pods?fieldSelector=abc', "invalid selector: 'abc'; can't understand 'abc'");
      },
    },
    {
      name: 'field selectors of nodes and namespaces',
      async run(server, assert) {
        const [cordoned, open] = [server.unique('cordoned'), server.unique('open')];
        const set = { set: server.unique('set') };
        await server.client.create('/api/v1/nodes', { ...aNode(cordoned, set), spec: { unschedulable: true } });
        await server.client.create('/api/v1/nodes', aNode(open, set));
        const labelSelector = `set=${set.set}`;
        for (const [fieldSelector, expected] of [
          ['spec.unschedulable=true', [cordoned]],
          ['spec.unschedulable=false', [open]],
          [`metadata.name=${open}`, [open]],
        ] as const) {
          const found = await names(server, '/api/v1/nodes', { fieldSelector, labelSelector });
          assert.deepEqual(found, expected, `"${fieldSelector}"`);
        }
        const name = await server.namespace();
        const found = await names(server, '/api/v1/namespaces', {
          fieldSelector: `status.phase=Active,metadata.name=${name}`,
        });
        assert.deepEqual(found, [name], 'a namespace');
        for (const node of [cordoned, open]) await server.client.delete(`/api/v1/nodes/${node}`);
      },
    },
    {
      name: 'a get with a selector of its own name is what kubectl -w asks for',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = core(namespace, 'configmaps');
        await server.client.create(path, aConfigMap('one'));
        await server.client.create(path, aConfigMap('two'));
        assert.deepEqual(await names(server, path, { fieldSelector: 'metadata.name=two' }), ['two'], 'the list');
      },
    },
  ],
};
