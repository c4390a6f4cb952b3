// Who refused a request in admission, read off the sentence of the API server: a webhook, a policy, or one of its own
// plugins. Sentences are those of kube-apiserver 1.36, most of them recorded (testing/README.md); each is looked for at the beginning,
// because what follows is written by others.
import type { Refuser } from './audited-action.ts';

/** `pods "web-1" is forbidden: `, which the API server puts before what a plugin says. */
const FORBIDDEN = /^\S{1,300} (?:"[^"]{0,300}" )?is forbidden: /;

const WEBHOOK_DENIED = /^admission webhook "([^"]{1,300})" denied the request/;
const WEBHOOK_FAILED = /^(?:Internal error occurred: )?failed calling webhook "([^"]{1,300})"/;
/** A policy that validates, one that mutates (without its kind), and each without a binding. */
const POLICY_DENIED =
  /^(?:ValidatingAdmissionPolicy|policy) ['"]([^'"]{1,300})['"] (?:with binding '([^']{1,300})' )?denied request: /;
const QUOTA = /^(?:exceeded quota: ([^\s,]{1,300}),|(?:failed|status unknown for) quota: ([^\s:,]{1,300})[:,])/;

const PLUGINS: readonly (readonly [plugin: string, sentence: RegExp])[] = [
  ['PodSecurity', /^violates PodSecurity "/],
  ['ResourceQuota', /^insufficient quota to (?:consume|match)/],
  ['LimitRanger', /^\[?(?:maximum|minimum) \S+ usage per |^\[?\S+ max limit to request ratio per /],
  [
    'ServiceAccount',
    /^error looking up service account |^no service account specified for pod |^a mirror pod may not |because service account \S+ does not reference that secret$/,
  ],
  [
    'Priority',
    /^no PriorityClass with name |^the integer value of priority \(|^the string value of PreemptionPolicy \(/,
  ],
  ['NamespaceLifecycle', /^unable to create new content in namespace \S+ because it is being terminated/],
  [
    'NodeRestriction',
    /^node "?[^\s"]{1,300}"? (?:can only|can ?not|is not allowed|must not) |^could not determine node from user |^unexpected pod subresource |, node "[^"]*" can only create (?:and delete )?mirror pods$/,
  ],
  ['OwnerReferencesPermissionEnforcement', /^cannot set (?:blockOwnerDeletion|an ownerRef) /],
  ['PodNodeSelector', /^pod node label selector /],
  ['PodTolerationRestriction', /^pod tolerations \(possibly merged /],
  ['RuntimeClass', /^pod rejected: /],
];

/** Undefined: no sentence of admission. `isAdmission` is what the annotations say of a 403. */
export function admissionRefuser(message: string, isAdmission: boolean): Refuser | undefined {
  const denied = WEBHOOK_DENIED.exec(message) ?? WEBHOOK_FAILED.exec(message);
  if (denied?.[1] !== undefined) return { kind: 'webhook', name: denied[1] };
  const said = message.replace(FORBIDDEN, '');
  const policy = POLICY_DENIED.exec(said);
  if (policy?.[1] !== undefined)
    return { kind: 'policy', name: policy[1], ...(policy[2] !== undefined && { binding: policy[2] }) };
  // What follows could be said by validation, too.
  if (!isAdmission) return undefined;
  const quota = QUOTA.exec(said);
  if (quota !== null) return { kind: 'quota', name: quota[1] ?? quota[2] ?? '' };
  const plugin = PLUGINS.find(([, sentence]) => sentence.test(said));
  return plugin === undefined ? undefined : { kind: 'plugin', name: plugin[0] };
}
