// Which actions of a log were asked for: by namespace, pod, time, act, user and outcome.
import type { Act, AuditedAction } from '@podtrail/history/audit';
import { nearest } from '@podtrail/history/wire';
import { UsageError } from '../errors.ts';

export interface WantedActions {
  readonly namespace: string | undefined;
  /** A name or a UID. */
  readonly pod: string | undefined;
  readonly user: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly acts: ReadonlySet<Act> | undefined;
  /** Only what was refused, what failed, and what has no answer. */
  readonly failed: boolean;
}

export const ACTS: readonly Act[] = [
  ...(['create', 'update', 'patch', 'delete', 'delete-collection'] as const),
  ...(['evict', 'bind', 'scale', 'restart', 'cordon', 'uncordon', 'taint'] as const),
  ...(['exec', 'attach', 'port-forward', 'proxy', 'debug', 'resize', 'write-status'] as const),
  ...(['get', 'list', 'watch', 'other'] as const),
];

/** Kubelets and controllers write a status all the time: shown when asked for. */
const BACKGROUND = new Set<Act>(['write-status', 'other']);

/** As the API calls them. */
const ALSO: Readonly<Record<string, Act>> = {
  deletecollection: 'delete-collection',
  eviction: 'evict',
  binding: 'bind',
  portforward: 'port-forward',
  status: 'write-status',
  ephemeralcontainers: 'debug',
};

export function actsOf(texts: readonly string[]): ReadonlySet<Act> | undefined {
  if (texts.length === 0) return undefined;
  const words = texts.flatMap((text) => text.split(',').map((word) => word.trim().toLowerCase()));
  return new Set(
    words.map((word) => {
      const act = ACTS.find((known) => known === word) ?? (Object.hasOwn(ALSO, word) ? ALSO[word] : undefined);
      if (act !== undefined) return act;
      const near = nearest(word, [...ACTS, ...Object.keys(ALSO)]);
      const meant = near === undefined ? '' : `; did you mean ${ALSO[near] ?? near}?`;
      throw new UsageError(`--verb ${word || '""'} is not an act${meant}`, `there are: ${ACTS.join(', ')}.`);
    }),
  );
}

export function isWanted(action: AuditedAction, wanted: WantedActions): boolean {
  const { at, what, actor, outcome } = action;
  if (wanted.since !== undefined && at < wanted.since) return false;
  if (wanted.until !== undefined && at >= wanted.until) return false;
  const isDone = outcome.kind === 'allowed' || outcome.kind === 'dry-run';
  if (wanted.failed && isDone) return false;
  if (wanted.acts !== undefined ? !wanted.acts.has(what) : !wanted.failed && isBackground(action)) return false;
  if (wanted.user !== undefined && actor.user !== wanted.user && actor.impersonatedBy !== wanted.user) return false;
  return isInNamespace(action, wanted.namespace) && isAboutPod(action, wanted.pod);
}

/** Reading what is not there is how clients find out. */
function isBackground({ what, outcome }: AuditedAction): boolean {
  const isRead = what === 'get' || what === 'list' || what === 'watch';
  return BACKGROUND.has(what) || (isRead && outcome.kind === 'refused' && outcome.stage === 'not-found');
}

function isInNamespace({ object }: AuditedAction, namespace: string | undefined): boolean {
  if (namespace === undefined) return true;
  return object.kind === 'Namespace' ? object.name === namespace : object.namespace === namespace;
}

/** Also what may have been about it: a collection that the log does not list, a name that the server made up. */
function isAboutPod({ object, what, details }: AuditedAction, pod: string | undefined): boolean {
  if (pod === undefined) return true;
  if (object.kind !== 'Pod') return false;
  if (what === 'delete-collection')
    return details.objects === undefined || details.objects.some(({ name, uid }) => name === pod || uid === pod);
  if (object.name === undefined) return details.generateName !== undefined && pod.startsWith(details.generateName);
  return object.name === pod || object.uid === pod;
}
