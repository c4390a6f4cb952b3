// Bodies whose fields are not what their kinds hold: creations and updates, of objects, their status and their scale.
import type { Area } from '../case.ts';
import { aConfigMap, aPod, apps, aWorkload, CONTAINER, core } from '../objects.ts';

const lease = (spec: unknown) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'one' },
  spec,
});

export const fieldTypes: Area = {
  area: 'types of fields',
  cases: [
    {
      name: 'a created object whose field has a wrong type is 400 and names struct, field and type',
      async run(server, assert) {
        const namespace = await server.namespace();
        const pods = core(namespace, 'pods');
        const maps = core(namespace, 'configmaps');
        const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
        const container = (more: Record<string, unknown>) => aPod('one', { containers: [{ ...CONTAINER, ...more }] });
        for (const [path, body, kind, words] of [
          [
            maps,
            aConfigMap('one', { a: 5 as never }),
            'ConfigMap',
            'number into Go struct field ConfigMap.data of type string',
          ],
          [
            maps,
            aConfigMap('one', {}, { uid: 5 }),
            'ConfigMap',
            'number into Go struct field ObjectMeta.metadata.uid of type types.UID',
          ],
          [
            maps,
            aConfigMap('one', {}, { generation: '1' }),
            'ConfigMap',
            'string into Go struct field ObjectMeta.metadata.generation of type int64',
          ],
          [
            maps,
            aConfigMap('one', {}, { ownerReferences: {} }),
            'ConfigMap',
            'object into Go struct field ObjectMeta.metadata.ownerReferences of type []v1.OwnerReference',
          ],
          [
            maps,
            aConfigMap('one', {}, { ownerReferences: [{ controller: 'yes' }] }),
            'ConfigMap',
            'string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
          ],
          [
            maps,
            aConfigMap('one', {}, { creationTimestamp: 5 }),
            'ConfigMap',
            'number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
          ],
          [
            pods,
            aPod('one', { dnsPolicy: 5 }),
            'Pod',
            'number into Go struct field PodSpec.spec.dnsPolicy of type v1.DNSPolicy',
          ],
          [
            pods,
            aPod('one', { hostNetwork: 'yes' }),
            'Pod',
            'string into Go struct field PodSpec.spec.hostNetwork of type bool',
          ],
          [
            pods,
            aPod('one', { tolerations: [{ tolerationSeconds: 'x' }] }),
            'Pod',
            'string into Go struct field Toleration.spec.tolerations.tolerationSeconds of type int64',
          ],
          [
            pods,
            aPod('one', { nodeSelector: { a: true } }),
            'Pod',
            'bool into Go struct field PodSpec.spec.nodeSelector of type string',
          ],
          [
            pods,
            container({ ports: [{ containerPort: '80' }] }),
            'Pod',
            'string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
          ],
          [
            pods,
            container({ ports: [{ containerPort: 99_999_999_999 }] }),
            'Pod',
            'number 99999999999 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
          ],
          [
            pods,
            container({ env: [{ name: 'A', value: 5 }] }),
            'Pod',
            'number into Go struct field EnvVar.spec.containers.env.value of type string',
          ],
          [
            pods,
            container({ resources: { limits: [] } }),
            'Pod',
            'array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
          ],
          [
            pods,
            container({ livenessProbe: { httpGet: { port: true } } }),
            'Pod',
            'bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32',
          ],
          [
            leases,
            lease({ leaseDurationSeconds: '15' }),
            'Lease',
            'string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
          ],
        ] as const) {
          const message = `${kind} in version "v1" cannot be handled as a ${kind}: json: cannot unmarshal ${words}`;
          assert.refused(await server.client.post(path, body), { code: 400, reason: 'BadRequest', message }, words);
        }
      },
    },
    {
      name: 'a time, a quantity and bytes that cannot be read are 400',
      async run(server, assert) {
        const namespace = await server.namespace();
        const maps = core(namespace, 'configmaps');
        const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
        const seconds = '"2006-01-02T15:04:05Z07:00"';
        const micros = '"2006-01-02T15:04:05.000000Z07:00"';
        const at = (creationTimestamp: string) => aConfigMap('one', {}, { creationTimestamp });
        for (const [path, body, kind, words] of [
          [maps, at('x'), 'ConfigMap', `parsing time "x" as ${seconds}: cannot parse "x" as "2006"`],
          [maps, at('2026-11-15'), 'ConfigMap', `parsing time "2026-11-15" as ${seconds}: cannot parse "" as "T"`],
          [maps, at('2026-13-15T10:00:00Z'), 'ConfigMap', 'parsing time "2026-13-15T10:00:00Z": month out of range'],
          [maps, at('2026-02-30T10:00:00Z'), 'ConfigMap', 'parsing time "2026-02-30T10:00:00Z": day out of range'],
          [
            maps,
            at('2026-11-15T10:00:00'),
            'ConfigMap',
            `parsing time "2026-11-15T10:00:00" as ${seconds}: cannot parse "" as "Z07:00"`,
          ],
          [maps, at('2026-11-15T10:00:00Zx'), 'ConfigMap', 'parsing time "2026-11-15T10:00:00Zx": extra text: "x"'],
          [
            leases,
            lease({ renewTime: '2026-11-15T10:00:00Z' }),
            'Lease',
            `parsing time "2026-11-15T10:00:00Z" as ${micros}: cannot parse "Z" as ".000000"`,
          ],
          [maps, { ...aConfigMap('one'), binaryData: { a: '?' } }, 'ConfigMap', 'illegal base64 data at input byte 0'],
        ] as const) {
          const message = `${kind} in version "v1" cannot be handled as a ${kind}: ${words}`;
          assert.refused(await server.client.post(path, body), { code: 400, reason: 'BadRequest', message }, words);
        }
        const pod = aPod('one', { containers: [{ ...CONTAINER, resources: { limits: { cpu: 'x' } } }] });
        const message =
          /^Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '/;
        assert.refused(await server.client.post(core(namespace, 'pods'), pod), { code: 400, message }, 'a quantity');
      },
    },
    {
      name: 'an update with a wrong type is 400, of the object, its status and its scale',
      async run(server, assert) {
        const path = apps(await server.namespace(), 'deployments');
        const created = await server.client.create(path, aWorkload('Deployment', 'web', 1));
        const deployment =
          'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into';
        assert.refused(
          await server.client.put(`${path}/web`, { ...created, spec: { ...created.spec, replicas: 'many' } }),
          { code: 400, message: `${deployment} Go struct field DeploymentSpec.spec.replicas of type int32` },
          'the object',
        );
        assert.refused(
          await server.client.put(`${path}/web/status`, { ...created, status: { replicas: 'all' } }),
          { code: 400, message: `${deployment} Go struct field DeploymentStatus.status.replicas of type int32` },
          'the status',
        );
        const scale = (await server.client.get(`${path}/web/scale`)).json;
        assert.refused(
          await server.client.put(`${path}/web/scale`, { ...scale, spec: { replicas: 'many' } }),
          {
            code: 400,
            message:
              'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
          },
          'the scale',
        );
      },
    },
    {
      name: 'what is wrong with an update is reported in an order: kind, type, namespace, name, and only then whether it is there',
      async run(server, assert) {
        const namespace = await server.namespace();
        const path = `${core(namespace, 'configmaps')}/none`;
        const metadata = { name: 'other', namespace: 'elsewhere' };
        const put = async (body: unknown) => (await server.client.put(path, body)).json?.message;
        assert.match(
          await put({ kind: 'Thing', apiVersion: 'v1', metadata, data: [] }),
          /^Thing in version "v1"/,
          'kind',
        );
        assert.match(
          await put({ metadata, data: [] }),
          /cannot unmarshal array into Go struct field ConfigMap\.data/,
          'type',
        );
        assert.match(await put({ metadata }), /^the namespace of the provided object does not match/, 'namespace');
        assert.match(await put({ metadata: { name: 'other' } }), /^the name of the object \(other\)/, 'name');
        assert.equal(await put({ metadata: { name: 'none' } }), 'configmaps "none" not found', 'not there');
      },
    },
  ],
};
