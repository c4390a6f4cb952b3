// What to look at after a refusal, as one sentence for each stage. Commands in it can be pasted: names are quoted where
// a shell would read more into them.
import type { AuditEvent } from './audit-event.ts';
import type { RefusalStage, Refuser } from './audited-action.ts';

const BY_PLUGIN: Readonly<Record<string, string>> = {
  PodSecurity:
    'the pod breaks the Pod Security Standard of its namespace: look at the labels pod-security.kubernetes.io/* of the namespace.',
  LimitRanger: 'look at the LimitRanges of the namespace: kubectl describe limitrange',
  ServiceAccount: 'the ServiceAccount of the pod does not exist: look at spec.serviceAccountName.',
  Priority: 'look at spec.priorityClassName and at kubectl get priorityclass.',
  NamespaceLifecycle: 'the namespace is being deleted: nothing new can be made in it.',
  NodeRestriction: 'a kubelet may write only its own node and the pods on it: look at who uses its credentials.',
};

export function hintFor(event: AuditEvent, code: number, stage: RefusalStage, by: Refuser | undefined): string {
  switch (stage) {
    case 'authentication':
      return 'the credentials were not accepted: an expired or wrong token or certificate; look at the source address and the user agent.';
    case 'authorization':
      return authorizationHint(event);
    case 'admission':
      return admissionHint(event, by);
    case 'forbidden':
      return 'refused by authorization or by admission, and the log does not say which: the message may.';
    case 'validation':
      return 'the object is not valid: the message names the fields.';
    case 'conflict':
      return conflictHint(event);
    case 'gone':
      return 'the version that was asked for is no longer kept: the client has to list again.';
    case 'not-found':
      return notFoundHint(event);
    case 'disruption-budget': {
      const which = by === undefined ? 'kubectl get pdb' : `kubectl get pdb ${shellWord(by.name)}`;
      return `a PodDisruptionBudget allows no more disruption now: ${which}${inNamespace(event)}`;
    }
    case 'throttling':
      return 'too many requests: look at the FlowSchema and PriorityLevelConfiguration of that user, and at what else it asks.';
    case 'request':
      return code === 413
        ? 'the body is larger than the API server takes: 3 MiB.'
        : 'the request is malformed: look at the client that sent it.';
    case 'other':
      return 'the message says why.';
  }
}

function authorizationHint(event: AuditEvent): string {
  const { user, impersonatedUser, verb, objectRef, status } = event;
  if (/ cannot impersonate resource "/.test(status?.message ?? ''))
    return `${user.username ?? 'the user'} may not act in the name of others: look for a role with the verb impersonate.`;
  const as = (impersonatedUser ?? user).username;
  const { resource, subresource } = objectRef;
  const what = `${resource}${objectRef.name === undefined ? '' : `/${objectRef.name}`}`;
  const words = [shellWord(verb), shellWord(what)];
  if (subresource !== '') words.push('--subresource', shellWord(subresource));
  if (as !== undefined) words.push('--as', shellWord(as));
  return `no role grants it: kubectl auth can-i ${words.join(' ')}${inNamespace(event)}`;
}

function admissionHint(event: AuditEvent, by: Refuser | undefined): string {
  switch (by?.kind) {
    case 'webhook':
      return event.status?.message.startsWith('admission webhook ')
        ? `look at who runs the webhook ${by.name}: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations`
        : `the webhook ${by.name} could not be asked, and its failurePolicy is Fail: look at its Service and pods.`;
    case 'policy':
      return `look at the admission policy ${by.name}${by.binding === undefined ? '' : ` and its binding ${by.binding}`}: kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings`;
    case 'quota':
      return `the quota is used up: kubectl describe quota ${shellWord(by.name)}${inNamespace(event)}`;
    case 'plugin':
      return Object.hasOwn(BY_PLUGIN, by.name)
        ? (BY_PLUGIN[by.name] as string)
        : `the admission plugin ${by.name} of the API server refused it: the message says why.`;
    default:
      return 'an admission plugin of the API server refused it: the message says why.';
  }
}

function conflictHint({ status }: AuditEvent): string {
  const { reason = '', message = '' } = status ?? {};
  if (reason === 'AlreadyExists') return 'an object of that name is there already.';
  return /\bprecondition\b/.test(message)
    ? 'the object is another one than the client thought: it was deleted and made again.'
    : 'somebody else changed the object meanwhile: clients read it again and retry; often it means two controllers.';
}

function notFoundHint({ status }: AuditEvent): string {
  return /^namespaces "/.test(status?.message ?? '')
    ? 'the namespace does not exist.'
    : 'the object was gone already, or never there.';
}

function inNamespace({ objectRef }: AuditEvent): string {
  return objectRef.namespace === '' ? '' : ` -n ${shellWord(objectRef.namespace)}`;
}

/** As one word of a shell. */
function shellWord(word: string): string {
  return /^[\w@%+:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
