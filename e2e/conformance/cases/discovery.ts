// What a client learns before it asks for objects: version, groups, resources, health.
import type { Area } from '../case.ts';
import type { Json } from '../raw-client.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export const discovery: Area = {
  area: 'discovery and version',
  cases: [
    {
      name: '/version says major, minor and gitVersion as text',
      async run({ client }, assert) {
        const { status, json } = await client.get('/version');
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.major, '1', 'major');
        assert.match(json.minor, /^\d+\+?$/, 'minor');
        assert.match(json.gitVersion, /^v1\.\d+\.\d+/, 'gitVersion');
        assert.equal(typeof json.platform, 'string', 'platform');
      },
    },
    {
      name: '/api names the core version v1',
      async run({ client }, assert) {
        const { status, json } = await client.get('/api');
        assert.equal(status, 200, 'HTTP status');
        assert.equal(json.kind, 'APIVersions', 'kind');
        assert.deepEqual(json.versions, ['v1'], 'versions');
      },
    },
    {
      name: '/apis lists the groups with a preferred version',
      async run({ client }, assert) {
        const { json } = await client.get('/apis');
        assert.equal(json.kind, 'APIGroupList', 'kind');
        const groups = new Map<string, Json>(json.groups.map((group: Json) => [group.name, group]));
        for (const name of ['apps', 'batch', 'policy', 'coordination.k8s.io', 'apiextensions.k8s.io']) {
          assert.deepEqual(
            groups.get(name)?.preferredVersion,
            { groupVersion: `${name}/v1`, version: 'v1' },
            `preferred version of ${name}`,
          );
        }
      },
    },
    {
      name: '/apis/apps is one APIGroup',
      async run({ client }, assert) {
        const { status, json } = await client.get('/apis/apps');
        assert.equal(status, 200, 'HTTP status');
        assert.deepEqual(
          json,
          {
            kind: 'APIGroup',
            apiVersion: 'v1',
            name: 'apps',
            versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
            preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
          },
          'the group',
        );
      },
    },
    {
      name: '/api/v1 describes pods with their verbs, names and scope',
      async run({ client }, assert) {
        const { json } = await client.get('/api/v1');
        assert.equal(json.kind, 'APIResourceList', 'kind');
        assert.equal(json.groupVersion, 'v1', 'groupVersion');
        const pods = json.resources.find((found: Json) => found.name === 'pods') ?? {};
        assert.equal(pods.kind, 'Pod', 'kind of pods');
        assert.equal(pods.namespaced, true, 'pods are namespaced');
        assert.equal(pods.singularName, 'pod', 'singular name');
        assert.deepEqual(pods.shortNames, ['po'], 'short names');
        assert.deepEqual(pods.categories, ['all'], 'categories');
        const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
        assert.deepEqual(pods.verbs?.toSorted(), verbs, 'verbs');
      },
    },
    {
      name: '/api/v1 lists subresources with a kind of their own group',
      async run({ client }, assert) {
        const { json } = await client.get('/api/v1');
        const named = (name: string) => json.resources.find((found: Json) => found.name === name) ?? {};
        const { group, version, kind, verbs } = named('pods/eviction');
        assert.deepEqual({ group, version, kind }, { group: 'policy', version: 'v1', kind: 'Eviction' }, 'eviction');
        assert.deepEqual(verbs, ['create'], 'verbs of eviction');
        assert.deepEqual(named('pods/status').verbs?.toSorted(), ['get', 'patch', 'update'], 'verbs of status');
        assert.equal(named('pods/binding').kind, 'Binding', 'binding');
        assert.equal(named('nodes').namespaced, false, 'nodes have no namespace');
        assert.deepEqual(named('namespaces').shortNames, ['ns'], 'short name of namespaces');
      },
    },
    {
      name: '/apis/apps/v1 lists scale as autoscaling/v1',
      async run({ client }, assert) {
        const { json } = await client.get('/apis/apps/v1');
        const scale = json.resources.find((found: Json) => found.name === 'deployments/scale') ?? {};
        assert.equal(`${scale.group}/${scale.version} ${scale.kind}`, 'autoscaling/v1 Scale', 'its kind');
        assert.deepEqual(scale.verbs?.toSorted(), ['get', 'patch', 'update'], 'its verbs');
      },
    },
    {
      name: 'aggregated discovery is given to those who ask for it',
      async run({ client }, assert) {
        const answer = await client.get('/apis', { Accept: `${AGGREGATED},application/json` });
        assert.equal(answer.status, 200, 'HTTP status');
        assert.equal(answer.headers['content-type'], AGGREGATED, 'content type');
        assert.equal(answer.json?.kind, 'APIGroupDiscoveryList', 'kind');
        assert.equal(answer.json?.apiVersion, 'apidiscovery.k8s.io/v2', 'apiVersion');
        const apps = answer.json?.items.find((item: Json) => item.metadata.name === 'apps');
        const resources = apps?.versions[0].resources ?? [];
        const deployments = resources.find((found: Json) => found.resource === 'deployments') ?? {};
        assert.equal(deployments.scope, 'Namespaced', 'scope of deployments');
        assert.equal(deployments.responseKind?.kind, 'Deployment', 'kind of deployments');
        assert.deepEqual(
          deployments.subresources?.map((found: Json) => found.subresource).toSorted(),
          ['scale', 'status'],
          'subresources of deployments',
        );
      },
    },
    {
      name: 'aggregated discovery of the core group sits at /api',
      async run({ client }, assert) {
        const { json } = await client.get('/api', { Accept: `${AGGREGATED},application/json` });
        assert.equal(json?.kind, 'APIGroupDiscoveryList', 'kind');
        assert.equal(json?.items[0].versions[0].version, 'v1', 'version');
        const pods = json?.items[0].versions[0].resources.find((found: Json) => found.resource === 'pods') ?? {};
        assert.equal(pods.singularResource, 'pod', 'singular name of pods');
        assert.deepEqual(pods.shortNames, ['po'], 'short names of pods');
      },
    },
    {
      name: '/readyz, /livez and /healthz say ok',
      async run({ client }, assert) {
        for (const path of ['/readyz', '/livez', '/healthz']) {
          const { status, text } = await client.get(path, { Accept: '*/*' });
          assert.equal(`${status} ${text}`, '200 ok', path);
        }
      },
    },
    {
      name: 'a version that a group does not have is a 404 with a Status, a group that is not there a plain one',
      async run({ client }, assert) {
        assert.refused(
          await client.get('/apis/apps/v7'),
          { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource', details: {} },
          'the version',
        );
        for (const path of ['/apis/no.such.group', '/apis/no.such.group/v1/things', '/nothing']) {
          const { status, text } = await client.get(path);
          assert.equal(`${status} ${text}`, '404 404 page not found\n', path);
        }
      },
    },
  ],
};
