// What of the feed is wanted, as the URL says it, and which questions to the server find it. Pure.
import type { Parameters } from '../../address/page-address.ts';
import type { AskedParameters } from '../../api/ask.ts';
import { ALL_CAUSES, type CauseFamily, familyOf } from '../../parts/cause.ts';
import { type FeedItem, itemText } from './feed-item.ts';

export interface FeedFilter {
  readonly kind: 'moves' | 'changes' | undefined;
  /** Empty: all. */
  readonly causes: readonly string[];
  readonly namespace: string | undefined;
  /** The node that a pod left, or on which its place was taken. */
  readonly node: string | undefined;
  /** In small letters. */
  readonly text: string;
}

export function feedFilter({ kind, cause, namespace, node, q }: Parameters): FeedFilter {
  const named = new Set(cause?.split(','));
  return {
    kind: kind === 'moves' || kind === 'changes' ? kind : undefined,
    causes: ALL_CAUSES.filter((known) => named.has(known)),
    namespace,
    node,
    text: q?.trim().toLowerCase() ?? '',
  };
}

export function isFiltered({ kind, causes, namespace, node, text }: FeedFilter): boolean {
  return kind !== undefined || causes.length > 0 || namespace !== undefined || node !== undefined || text !== '';
}

export function isWanted(item: FeedItem, filter: FeedFilter): boolean {
  const { namespace, node, causes, text } = filter;
  if (item.kind === 'move') {
    const { move } = item;
    if (!hasMoves(filter) || (namespace !== undefined && move.namespace !== namespace)) return false;
    if (node !== undefined && move.from !== node && move.to !== node) return false;
    if (causes.length > 0 && !causes.includes(move.cause)) return false;
  } else if (!hasChanges(filter) || (namespace !== undefined && item.change.namespace !== namespace)) return false;
  return text === '' || itemText(item).includes(text);
}

export function hasMoves({ kind }: FeedFilter): boolean {
  return kind !== 'changes';
}

/** A change has neither a cause nor a node: who filters by those asks for moves. */
function hasChanges({ kind, causes, node }: FeedFilter): boolean {
  return kind !== 'moves' && causes.length === 0 && node === undefined;
}

export interface FeedQuestion {
  readonly name: 'moves' | 'changes';
  readonly parameters: AskedParameters;
}

/** All that the filter by text may pick from. A move from and to a node is in two answers. */
export function feedQuestions(filter: FeedFilter, cluster: string | undefined): readonly FeedQuestion[] {
  const { namespace, node, causes } = filter;
  const shared = { cluster, namespace };
  const questions: FeedQuestion[] = [];
  if (hasMoves(filter)) {
    const cause = causes.length === 0 ? undefined : causes.join(',');
    const parameters = { ...shared, cause };
    if (node === undefined) questions.push({ name: 'moves', parameters });
    else {
      questions.push({ name: 'moves', parameters: { ...parameters, fromNode: node } });
      questions.push({ name: 'moves', parameters: { ...parameters, toNode: node } });
    }
  }
  if (hasChanges(filter)) questions.push({ name: 'changes', parameters: shared });
  return questions;
}

/** All causes of the family or none of them; the others stay. What the URL then says: undefined for no choice. */
export function toggleFamily(causes: readonly string[], family: CauseFamily): string | undefined {
  const isOn = isFamilyOn(causes, family);
  const chosen = ALL_CAUSES.filter((cause) => (familyOf(cause) === family ? !isOn : causes.includes(cause)));
  return chosen.length === 0 || chosen.length === ALL_CAUSES.length ? undefined : chosen.join(',');
}

export function toggleCause(causes: readonly string[], cause: string): string | undefined {
  const chosen = ALL_CAUSES.filter((known) => (known === cause ? !causes.includes(known) : causes.includes(known)));
  return chosen.length === 0 ? undefined : chosen.join(',');
}

/** One of its causes is chosen. */
export function isFamilyOn(causes: readonly string[], family: CauseFamily): boolean {
  return causes.some((cause) => familyOf(cause) === family);
}
