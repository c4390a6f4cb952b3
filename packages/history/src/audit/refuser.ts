// Who refused a request in admission, read off the sentence of the API server: a webhook, a policy, or one of its own
// plugins. Sentences are as kube-apiserver 1.36 writes them (testing/README.md); each is looked for at the beginning,
// because what follows is written by others.
import type { Refuser } from './audited-action.ts';

/** `pods "web-1" is forbidden: `, which the API server puts before what a plugin says. */
const FORBIDDEN = /^\S{1,300} (?:"[^"]{0,300}" )?is forbidden: /;

const WEBHOOK_DENIED = /^admission webhook "([^"]{1,300})" denied the request/;
const WEBHOOK_FAILED = /^(?:Internal error occurred: )?failed calling webhook "([^"]{1,300})"/;
const POLICY_DENIED =
  /^(?:Validating|Mutating)AdmissionPolicy '([^']{1,300})' with binding '([^']{1,300})' (?:denied request|failed)/;
const PLUGIN_SLOW = /^admission plugin "([^"]{1,300})" failed to complete (?:mutation|validation)/;
const QUOTA = /^exceeded quota: ([^\s,]{1,300}),/;

const PLUGINS: readonly (readonly [plugin: string, sentence: RegExp])[] = [
  ['PodSecurity', /^violates PodSecurity "/],
  ['ResourceQuota', /^(?:failed quota:|status unknown for quota:|.*insufficient quota)/],
  [
    'LimitRanger',
    /^\[?(?:maximum|minimum) \S+ (?:usage|limit)|^\[?\S+ max limit to request ratio|^must (?:make|specify) a non-zero request/,
  ],
  [
    'ServiceAccount',
    /^error looking up service account |^service account \S+ was not found|^no API token found for service account /,
  ],
  ['Priority', /^no PriorityClass with name |^the integer value of priority |^pods with \S+ priorityClass is not/],
  ['NamespaceLifecycle', /^unable to create new content in namespace \S+ because it is being terminated/],
  ['NodeRestriction', /^node "[^"]*" (?:can only|cannot|is not allowed)|^unknown node for user|^unexpected operation /],
  ['OwnerReferencesPermissionEnforcement', /^cannot set (?:blockOwnerDeletion|an ownerRef)/],
  ['PodNodeSelector', /^pod node label selector conflicts with /],
  ['RuntimeClass', /^pod rejected: RuntimeClass /],
];

/** Undefined: no sentence of admission. `isAdmission` is what the annotations say of a 403. */
export function admissionRefuser(message: string, isAdmission: boolean): Refuser | undefined {
  const denied = WEBHOOK_DENIED.exec(message) ?? WEBHOOK_FAILED.exec(message);
  if (denied?.[1] !== undefined) return { kind: 'webhook', name: denied[1] };
  const said = message.replace(FORBIDDEN, '');
  const policy = POLICY_DENIED.exec(said);
  if (policy?.[1] !== undefined && policy[2] !== undefined)
    return { kind: 'policy', name: policy[1], binding: policy[2] };
  const slow = PLUGIN_SLOW.exec(said);
  if (slow?.[1] !== undefined) return { kind: 'plugin', name: slow[1] };
  // What follows could be said by validation, too.
  if (!isAdmission) return undefined;
  const quota = QUOTA.exec(said);
  if (quota?.[1] !== undefined) return { kind: 'quota', name: quota[1] };
  const plugin = PLUGINS.find(([, sentence]) => sentence.test(said));
  return plugin === undefined ? undefined : { kind: 'plugin', name: plugin[0] };
}
