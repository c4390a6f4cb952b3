// The pods that were on a node, at an instant or during a time: what lists by node= begin with.
import { askNode } from '@podtrail/history/wire';
import { spanOf, timesOf } from './asked-of.ts';
import type { ListQuestion } from './resource.ts';
import { watchedPart } from './watched-warnings.ts';

export async function podsOnNode(question: ListQuestion, node: string) {
  const { snapshot, visibility, cluster, now, namespace, limit, cursor, selector } = question;
  const { at } = timesOf(selector);
  const during = at === undefined ? spanOf(question, undefined) : { at };
  const asked = { node, during, namespace, paging: { limit, cursor }, now };
  const { pods, document } = await askNode(snapshot, visibility, cluster, asked);
  return { pods: pods.items, cursor: pods.cursor, watched: watchedPart(document.coverage) };
}
