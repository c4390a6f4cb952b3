// Defaults and checks of pods and of the pod templates inside workloads, as far as clients can see.
import type { FieldError } from '../api-status-error.ts';
import {
  arrayAt,
  ensureObject,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  setDefaults,
  textAt,
} from '../json-object.ts';
import { checkName } from '../object-names.ts';
import { checkPodAddresses, joinPodAddresses } from './pod-addresses.ts';
import { checkDeadlineRange, checkPodUpdate } from './pod-updates.ts';
import { PLAIN_RULES, type ResourceRules, type RuleContext } from './resource-rules.ts';

const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];
const NODE_TROUBLES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

export const podRules: ResourceRules = {
  ...PLAIN_RULES,
  generation: true,
  separateStatus: true,
  graceful: true,
  answersDeletionWith: 'object',
  prepareCreate(draft, context) {
    const spec = ensureObject(draft, 'spec');
    defaultPodSpec(spec);
    setDefaults(spec, {
      serviceAccountName: 'default',
      serviceAccount: 'default',
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    tolerateNodeTroubles(spec);
    inheritTopology(draft, context);
    draft['status'] = { phase: 'Pending', qosClass: qualityOfService(spec) };
  },
  metadataWithStatus: 'all but owners',
  zeroStatus: () => ({}),
  prepareStatus(draft, current) {
    const qosClass = textAt(current, 'status', 'qosClass');
    const status = ensureObject(draft, 'status');
    if (qosClass !== '') setDefaults(status, { qosClass });
    joinPodAddresses(status);
  },
  validateStatus: checkPodAddresses,
  prepareUpdate(draft, current) {
    const spec = ensureObject(draft, 'spec');
    defaultPodSpec(spec);
    const { priority, preemptionPolicy } = objectAt(current, 'spec') ?? {};
    setDefaults(spec, { enableServiceLinks: true, priority, preemptionPolicy });
    if (textAt(spec, 'serviceAccountName') !== '') setDefaults(spec, { serviceAccount: spec['serviceAccountName'] });
    tolerateNodeTroubles(spec);
  },
  validate: (draft) => validatePodSpec(objectAt(draft, 'spec') ?? {}, 'spec'),
  validateUpdate: checkPodUpdate,
};

/** Called again when a pod is bound: it inherits the labels of where it lands. */
export function inheritTopology(draft: JsonObject, context: RuleContext): void {
  const node = textAt(draft, 'spec', 'nodeName');
  const labels = node === '' ? undefined : context.nodeLabels(node);
  for (const name of TOPOLOGY_LABELS) {
    const value = labels?.[name];
    if (value !== undefined) ensureObject(ensureObject(draft, 'metadata'), 'labels')[name] = value;
  }
}

export function defaultPodSpec(spec: JsonObject): void {
  if ((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) spec['terminationGracePeriodSeconds'] = 1;
  setDefaults(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  });
  for (const list of ['containers', 'initContainers']) {
    for (const container of arrayAt(spec, list)) if (isObject(container)) defaultContainer(container);
  }
}

function defaultContainer(container: JsonObject): void {
  setDefaults(container, {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicy(textAt(container, 'image')),
  });
  const limits = objectAt(container, 'resources', 'limits');
  if (limits !== undefined) setDefaults(ensureObject(ensureObject(container, 'resources'), 'requests'), limits);
  for (const port of arrayAt(container, 'ports')) if (isObject(port)) setDefaults(port, { protocol: 'TCP' });
}

function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^/:]+)$/.exec(image)?.[1];
  return tag === undefined || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function tolerateNodeTroubles(spec: JsonObject): void {
  const tolerations = [...arrayAt(spec, 'tolerations')];
  for (const key of NODE_TROUBLES) {
    const known = tolerations.some(
      (toleration) =>
        (textAt(toleration, 'key') === key || textAt(toleration, 'key') === '') &&
        ['', 'NoExecute'].includes(textAt(toleration, 'effect')),
    );
    if (!known) tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  }
  spec['tolerations'] = tolerations;
}

function qualityOfService(spec: JsonObject): string {
  const containers = [...arrayAt(spec, 'containers'), ...arrayAt(spec, 'initContainers')];
  const amounts = containers.map((container) => ({
    requests: objectAt(container, 'resources', 'requests') ?? {},
    limits: objectAt(container, 'resources', 'limits') ?? {},
  }));
  if (amounts.every(({ requests, limits }) => Object.keys({ ...requests, ...limits }).length === 0)) {
    return 'BestEffort';
  }
  const guaranteed = amounts.every(({ requests, limits }) =>
    ['cpu', 'memory'].every((name) => limits[name] !== undefined && requests[name] === limits[name]),
  );
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

export function validatePodSpec(spec: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const containers = arrayAt(spec, 'containers');
  if (containers.length === 0) errors.push({ field: `${path}.containers`, reason: 'Required' });
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const name = textAt(container, 'name');
    if (name === '') errors.push({ field: `${path}.containers[${i}].name`, reason: 'Required' });
    else if (names.has(name)) {
      errors.push({ field: `${path}.containers[${i}].name`, reason: 'Duplicate', value: JSON.stringify(name) });
    }
    names.add(name);
    if (name !== '') errors.push(...checkName(name, 'label', `${path}.containers[${i}].name`));
    if (textAt(container, 'image') === '') {
      errors.push({ field: `${path}.containers[${i}].image`, reason: 'Required' });
    }
  });
  const policy = textAt(spec, 'restartPolicy');
  if (policy !== '' && !RESTART_POLICIES.includes(policy)) {
    const detail = `supported values: ${RESTART_POLICIES.map((one) => JSON.stringify(one)).join(', ')}`;
    errors.push({ field: `${path}.restartPolicy`, reason: 'NotSupported', value: JSON.stringify(policy), detail });
  }
  errors.push(...checkDeadlineRange(spec, path));
  return errors;
}
