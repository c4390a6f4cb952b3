// Who is let in, and what a refusal says: bearer tokens, and rights that end at one namespace.
import { type Area, LIMITED_NAMESPACE, LIMITED_USER } from '../case.ts';
import { core } from '../objects.ts';

const cannot = `User "${LIMITED_USER}" cannot`;

export const access: Area = {
  area: 'tokens and rights',
  cases: [
    {
      name: 'an unknown bearer token is 401 Unauthorized',
      async run({ stranger }, assert) {
        for (const path of ['/api/v1/pods', '/version', '/api/v1/namespaces/default/pods?watch=true']) {
          assert.refused(
            await stranger.get(path),
            { code: 401, reason: 'Unauthorized', message: 'Unauthorized' },
            path,
          );
        }
      },
    },
    {
      name: 'without a token one is system:anonymous, who may read little',
      async run({ anonymous }, assert) {
        assert.refused(
          await anonymous.get('/api/v1/pods'),
          {
            code: 403,
            reason: 'Forbidden',
            message:
              'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
            details: { kind: 'pods' },
          },
          'pods',
        );
        assert.equal((await anonymous.get('/version')).status, 200, '/version is open');
        assert.equal((await anonymous.get('/readyz', { Accept: '*/*' })).status, 200, '/readyz is open');
        assert.refused(
          await anonymous.get('/apis'),
          { code: 403, message: 'forbidden: User "system:anonymous" cannot get path "/apis"', details: {} },
          '/apis',
        );
      },
    },
    {
      name: 'a user of one namespace reads there and nowhere else',
      async run({ limited }, assert) {
        assert.equal((await limited.get(core(LIMITED_NAMESPACE, 'pods'))).status, 200, 'list at home');
        assert.equal((await limited.get(`${core(LIMITED_NAMESPACE, 'pods')}/none`)).status, 404, 'get at home');
        assert.refused(
          await limited.get('/api/v1/pods'),
          {
            code: 403,
            reason: 'Forbidden',
            message: `pods is forbidden: ${cannot} list resource "pods" in API group "" at the cluster scope`,
            details: { kind: 'pods' },
          },
          'everywhere',
        );
        assert.refused(
          await limited.get(`${core('default', 'pods')}/one`),
          {
            code: 403,
            reason: 'Forbidden',
            message: `pods "one" is forbidden: ${cannot} get resource "pods" in API group "" in the namespace "default"`,
            details: { name: 'one', kind: 'pods' },
          },
          'elsewhere',
        );
      },
    },
    {
      name: 'a refused watch says that it was a watch',
      async run({ limited }, assert) {
        assert.refused(
          await limited.get('/api/v1/pods?watch=true'),
          {
            code: 403,
            message: `pods is forbidden: ${cannot} watch resource "pods" in API group "" at the cluster scope`,
          },
          'the watch',
        );
      },
    },
    {
      name: 'each verb has its own right',
      async run({ limited }, assert) {
        const pods = core(LIMITED_NAMESPACE, 'pods');
        const inside = `in API group "" in the namespace "${LIMITED_NAMESPACE}"`;
        assert.refused(
          await limited.post(pods, {}),
          { code: 403, message: `pods is forbidden: ${cannot} create resource "pods" ${inside}` },
          'create',
        );
        assert.refused(
          await limited.put(`${pods}/one`, {}),
          { code: 403, message: `pods "one" is forbidden: ${cannot} update resource "pods" ${inside}` },
          'update',
        );
        assert.refused(
          await limited.patch(`${pods}/one`, 'merge', {}),
          { code: 403, message: `pods "one" is forbidden: ${cannot} patch resource "pods" ${inside}` },
          'patch',
        );
        assert.refused(
          await limited.delete(`${pods}/one`),
          { code: 403, message: `pods "one" is forbidden: ${cannot} delete resource "pods" ${inside}` },
          'delete',
        );
        assert.refused(
          await limited.delete(pods),
          { code: 403, message: `pods is forbidden: ${cannot} deletecollection resource "pods" ${inside}` },
          'deletecollection',
        );
      },
    },
    {
      name: 'a subresource and another group are named in the refusal',
      async run({ limited }, assert) {
        assert.refused(
          await limited.get(`${core(LIMITED_NAMESPACE, 'pods')}/one/status`),
          {
            code: 403,
            message: `pods "one" is forbidden: ${cannot} get resource "pods/status" in API group "" in the namespace "${LIMITED_NAMESPACE}"`,
            details: { name: 'one', kind: 'pods' },
          },
          'status',
        );
        assert.refused(
          await limited.post('/apis/apps/v1/namespaces/default/deployments', {}),
          {
            code: 403,
            message: `deployments.apps is forbidden: ${cannot} create resource "deployments" in API group "apps" in the namespace "default"`,
            details: { group: 'apps', kind: 'deployments' },
          },
          'deployments',
        );
        assert.refused(
          await limited.get('/api/v1/nodes/one'),
          {
            code: 403,
            message: `nodes "one" is forbidden: ${cannot} get resource "nodes" in API group "" at the cluster scope`,
            details: { name: 'one', kind: 'nodes' },
          },
          'nodes',
        );
      },
    },
    {
      name: 'discovery is open to every known user',
      async run({ limited }, assert) {
        for (const path of ['/api', '/apis', '/api/v1', '/apis/apps/v1']) {
          assert.equal((await limited.get(path)).status, 200, path);
        }
      },
    },
  ],
};
