// Defaults and checks of the resources that make pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job.
import type { FieldError } from '../api-status-error.ts';
import { deepEqual, ensureObject, type JsonObject, numberAt, objectAt, setDefaults, textAt } from '../json-object.ts';
import { selectorOfObject } from '../selectors/label-selector.ts';
import { defaultPodSpec, validatePodSpec } from './pod-rules.ts';
import { PLAIN_RULES, type ResourceRules } from './resource-rules.ts';

export const deploymentRules: ResourceRules = {
  ...workload(
    (spec) => {
      setDefaults(spec, { replicas: 1, strategy: {}, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
      const strategy = ensureObject(spec, 'strategy');
      setDefaults(strategy, { type: 'RollingUpdate' });
      if (strategy['type'] === 'RollingUpdate') {
        setDefaults(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
      }
    },
    () => ({}),
  ),
  annotationsCount: true,
  metadataWithStatus: 'all but labels',
};

export const replicaSetRules = workload(
  (spec) => setDefaults(spec, { replicas: 1 }),
  () => ({ replicas: 0 }),
);

export const statefulSetRules = workload(
  (spec) => {
    setDefaults(spec, {
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
  },
  () => ({ replicas: 0, availableReplicas: 0 }),
);

export const daemonSetRules: ResourceRules = {
  ...workload(
    (spec) => {
      setDefaults(spec, { updateStrategy: { type: 'RollingUpdate' }, revisionHistoryLimit: 10 });
      const strategy = ensureObject(spec, 'updateStrategy');
      if (strategy['type'] === 'RollingUpdate') {
        setDefaults(ensureObject(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
      }
    },
    () => ({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }),
  ),
};

export const jobRules: ResourceRules = {
  ...PLAIN_RULES,
  generation: true,
  separateStatus: true,
  propagation: 'Orphan',
  zeroStatus: () => ({}),
  prepareCreate(draft) {
    const spec = ensureObject(draft, 'spec');
    defaultJob(spec);
    if (spec['manualSelector'] !== true) selectOwnPods(draft, spec);
    draft['status'] = {};
  },
  prepareUpdate: (draft) => defaultJob(ensureObject(draft, 'spec')),
  validate: (draft) => {
    const template = objectAt(draft, 'spec', 'template', 'spec') ?? {};
    const errors = validatePodSpec(template, 'spec.template.spec');
    if (template['restartPolicy'] === 'Always') {
      const detail = 'valid values: "OnFailure", "Never"';
      errors.push({ field: 'spec.template.spec.restartPolicy', reason: 'Required', detail });
    }
    return errors;
  },
};

function defaultJob(spec: JsonObject): void {
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) spec['completions'] = 1;
  setDefaults(spec, {
    parallelism: 1,
    backoffLimit: 6,
    manualSelector: false,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
  });
  defaultPodSpec(ensureObject(ensureObject(spec, 'template'), 'spec'));
}

function selectOwnPods(draft: JsonObject, spec: JsonObject): void {
  const uid = textAt(draft, 'metadata', 'uid');
  const name = textAt(draft, 'metadata', 'name');
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec['selector'] = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const templateMetadata = ensureObject(ensureObject(spec, 'template'), 'metadata');
  Object.assign(ensureObject(templateMetadata, 'labels'), labels);
  Object.assign(ensureObject(ensureObject(draft, 'metadata'), 'labels'), labels);
}

function workload(defaultSpec: (spec: JsonObject) => void, zeroStatus: () => JsonObject): ResourceRules {
  const prepare = (draft: JsonObject) => {
    const spec = ensureObject(draft, 'spec');
    defaultSpec(spec);
    defaultPodSpec(ensureObject(ensureObject(spec, 'template'), 'spec'));
  };
  return {
    ...PLAIN_RULES,
    generation: true,
    separateStatus: true,
    zeroStatus,
    prepareCreate(draft) {
      prepare(draft);
      draft['status'] = zeroStatus();
    },
    prepareUpdate: prepare,
    validate: validateWorkload,
    validateUpdate(draft, current) {
      const selector = objectAt(draft, 'spec', 'selector');
      if (deepEqual(selector, objectAt(current, 'spec', 'selector'))) return [];
      return [
        { field: 'spec.selector', reason: 'Invalid', value: JSON.stringify(selector), detail: 'field is immutable' },
      ];
    },
  };
}

function validateWorkload(draft: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const spec = objectAt(draft, 'spec') ?? {};
  const selector = objectAt(spec, 'selector');
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  const replicas = numberAt(spec, 'replicas') ?? 0;
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    errors.push({ field: 'spec.replicas', reason: 'Invalid', value: String(replicas), detail });
  }
  if (selector === undefined) errors.push({ field: 'spec.selector', reason: 'Required' });
  else if (Object.keys(selector).length === 0) {
    const detail = `empty selector is invalid for ${String(draft['kind']).toLowerCase()}`;
    errors.push({ field: 'spec.selector', reason: 'Invalid', value: '{}', detail });
    return errors;
  }
  if (selector === undefined || !selectorOfObject(selector).matches((labels ?? {}) as Record<string, string>)) {
    errors.push({
      field: 'spec.template.metadata.labels',
      reason: 'Invalid',
      value: JSON.stringify(labels ?? null),
      detail: '`selector` does not match template `labels`',
    });
  }
  errors.push(...validatePodSpec(objectAt(spec, 'template', 'spec') ?? {}, 'spec.template.spec'));
  return errors;
}
