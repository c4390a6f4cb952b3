// Defaults and checks of everything that makes no pods: namespaces, nodes, services, config maps, events, leases and
// disruption budgets.
import type { FieldError } from '../api-status-error.ts';
import {
  arrayAt,
  deepEqual,
  ensureObject,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  setDefaults,
  textAt,
} from '../json-object.ts';
import { PLAIN_RULES, type ResourceRules } from './resource-rules.ts';

export const namespaceRules: ResourceRules = {
  ...PLAIN_RULES,
  names: 'label',
  separateStatus: true,
  answersDeletionWith: 'object',
  prepareCreate(draft) {
    const metadata = ensureObject(draft, 'metadata');
    ensureObject(metadata, 'labels')['kubernetes.io/metadata.name'] = metadata['name'];
    draft['spec'] = { finalizers: ['kubernetes'] };
    draft['status'] = { phase: 'Active' };
  },
};

export const nodeRules: ResourceRules = {
  ...PLAIN_RULES,
  separateStatus: true,
  zeroStatus: emptyNodeStatus,
  prepareCreate(draft) {
    ensureObject(draft, 'spec');
    setDefaults(ensureObject(draft, 'status'), emptyNodeStatus());
  },
  validateUpdate(draft, current) {
    const before = textAt(current, 'spec', 'podCIDR');
    if (before === '' || before === textAt(draft, 'spec', 'podCIDR')) return [];
    return [
      { field: 'spec', reason: 'Forbidden', detail: 'node updates may not change podCIDR except from "" to valid' },
    ];
  },
};

function emptyNodeStatus(): JsonObject {
  return {
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: '',
      kernelVersion: '',
      osImage: '',
      containerRuntimeVersion: '',
      kubeletVersion: '',
      kubeProxyVersion: '',
      operatingSystem: '',
      architecture: '',
    },
  };
}

export const serviceRules: ResourceRules = {
  ...PLAIN_RULES,
  names: 'label',
  separateStatus: true,
  zeroStatus: () => ({ loadBalancer: {} }),
  answersDeletionWith: 'object',
  prepareCreate(draft, context) {
    const spec = ensureObject(draft, 'spec');
    setDefaults(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
    if (spec['type'] !== 'ExternalName') {
      setDefaults(spec, { clusterIP: String(arrayAt(spec, 'clusterIPs')[0] ?? '') || context.nextServiceAddress() });
      setDefaults(spec, {
        clusterIPs: [spec['clusterIP']],
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      });
    }
    for (const port of arrayAt(spec, 'ports')) {
      if (isObject(port)) setDefaults(port, { protocol: 'TCP', targetPort: port['port'] });
    }
    draft['status'] = { loadBalancer: {} };
  },
  validate(draft) {
    const portless = textAt(draft, 'spec', 'clusterIP') === 'None' || textAt(draft, 'spec', 'type') === 'ExternalName';
    return portless || arrayAt(draft, 'spec', 'ports').length > 0 ? [] : [{ field: 'spec.ports', reason: 'Required' }];
  },
  validateUpdate(draft, current) {
    const before = textAt(current, 'spec', 'clusterIP');
    const after = textAt(draft, 'spec', 'clusterIP');
    if (before === '' || before === after || textAt(draft, 'spec', 'type') === 'ExternalName') return [];
    const value = JSON.stringify([after]);
    return [{ field: 'spec.clusterIPs[0]', reason: 'Invalid', value, detail: 'may not change once set' }];
  },
  prepareUpdate(draft, current) {
    const spec = ensureObject(draft, 'spec');
    const before = objectAt(current, 'spec') ?? {};
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']) {
      if (before[field] !== undefined) setDefaults(spec, { [field]: before[field] });
    }
    setDefaults(spec, { type: 'ClusterIP', sessionAffinity: 'None' });
    for (const port of arrayAt(spec, 'ports')) {
      if (isObject(port)) setDefaults(port, { protocol: 'TCP', targetPort: port['port'] });
    }
  },
};

const CONFIG_MAP_LIMIT = 1024 * 1024;

export const configMapRules: ResourceRules = {
  ...PLAIN_RULES,
  prepareCreate: dropEmptyData,
  prepareUpdate: dropEmptyData,
  validate(draft) {
    let size = 0;
    for (const text of Object.values(objectAt(draft, 'data') ?? {})) size += Buffer.byteLength(String(text));
    for (const text of Object.values(objectAt(draft, 'binaryData') ?? {})) {
      size += Buffer.from(String(text), 'base64').length;
    }
    if (size <= CONFIG_MAP_LIMIT) return [];
    return [{ field: '[]', reason: 'TooLong', detail: `may not be more than ${CONFIG_MAP_LIMIT} bytes` }];
  },
  validateUpdate(draft, current) {
    if (current['immutable'] !== true) return [];
    const fields = ['immutable', 'data', 'binaryData'].filter((field) => !deepEqual(draft[field], current[field]));
    return fields.map((field) => ({
      field,
      reason: 'Forbidden',
      detail: 'field is immutable when `immutable` is set',
    }));
  },
};

/** Empty is as good as absent, and no change. */
function dropEmptyData(draft: JsonObject): void {
  for (const field of ['data', 'binaryData']) {
    if (Object.keys(objectAt(draft, field) ?? {}).length === 0) delete draft[field];
  }
}

export const eventRules: ResourceRules = {
  ...PLAIN_RULES,
  names: 'path',
  prepareCreate(draft) {
    setDefaults(draft, { source: {}, reportingComponent: '', reportingInstance: '' });
    for (const time of ['firstTimestamp', 'lastTimestamp', 'eventTime']) draft[time] ??= null;
  },
  validate(draft) {
    const about = textAt(draft, 'involvedObject', 'namespace');
    // What has no namespace is reported in the default one.
    const home = about === '' ? 'default' : about;
    if (home === textAt(draft, 'metadata', 'namespace')) return [];
    const detail = 'does not match event.namespace';
    return [{ field: 'involvedObject.namespace', reason: 'Invalid', value: JSON.stringify(about), detail }];
  },
};

export const leaseRules: ResourceRules = {
  ...PLAIN_RULES,
  versionedUpdates: true,
  validate(draft) {
    const errors: FieldError[] = [];
    const seconds = numberAt(draft, 'spec', 'leaseDurationSeconds') ?? 1;
    const transitions = numberAt(draft, 'spec', 'leaseTransitions') ?? 0;
    if (seconds <= 0) {
      const detail = 'must be greater than 0';
      errors.push({ field: 'spec.leaseDurationSeconds', reason: 'Invalid', value: String(seconds), detail });
    }
    if (transitions < 0) {
      const detail = 'must be greater than or equal to 0';
      errors.push({ field: 'spec.leaseTransitions', reason: 'Invalid', value: String(transitions), detail });
    }
    return errors;
  },
};

export const disruptionBudgetRules: ResourceRules = {
  ...PLAIN_RULES,
  versionedUpdates: true,
  generation: true,
  separateStatus: true,
  zeroStatus: emptyBudgetStatus,
  prepareCreate(draft) {
    draft['status'] = emptyBudgetStatus();
  },
};

function emptyBudgetStatus(): JsonObject {
  return { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
}
