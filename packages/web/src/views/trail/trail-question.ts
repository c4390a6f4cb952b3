// The parameters of the URL as questions to the server, and as a command. Pure.
import type { Parameters } from '../../address/page-address.ts';
import type { AskedParameters } from '../../api/ask.ts';
import { commandLine } from '../../parts/command-line.ts';
import type { TimeView } from '../../timeline/time-view.ts';
import { instantText } from '../../times/span.ts';

export const LANES = ['node', 'workload', 'pod', 'ip'] as const;
export type LaneKind = (typeof LANES)[number];

/** Where the URL says nothing: what answers most about the subject. */
export function laneKind({ by, subject, node }: Parameters): LaneKind {
  const chosen = LANES.find((kind) => kind === by);
  if (chosen !== undefined) return chosen;
  if (subject === undefined) return node === undefined ? 'node' : 'pod';
  return hasAddresses(subject) ? 'ip' : 'pod';
}

function hasAddresses(subject: string): boolean {
  return isAddress(subject) || /^(?:svc|services?)\//i.test(subject);
}

export function isAddress(text: string): boolean {
  return /^\d+(?:\.\d+){3}$/.test(text) || (text.includes(':') && /^[\da-f:.]+$/i.test(text));
}

/** A node as a subject is asked for by its own parameter. */
export function trailParameters(parameters: Parameters): Parameters {
  const { subject = '', ...rest } = parameters;
  const node = nodeIn(subject);
  return node === undefined ? parameters : { ...rest, node };
}

const MOST_MOVES = 5_000;

/** Why who is shown ended. Addresses and Services do not end: of those all moves of that time are asked for. */
export function movesQuestion(
  { subject, namespace, node, cluster }: Parameters,
  { since, until }: { readonly since: string; readonly until: string },
): AskedParameters {
  const pods = subject === undefined || hasAddresses(subject) ? undefined : subject;
  return { subject: pods, fromNode: node, namespace, cluster, since, until, limit: MOST_MOVES, order: 'newest' };
}

export function timelineQuestion(parameters: Parameters, { from, to }: TimeView): AskedParameters {
  const { subject, namespace, node, cluster, most } = parameters;
  return {
    ...{ by: laneKind(parameters), since: instantText(from), until: instantText(to) },
    ...{ subject, namespace, node, cluster, most },
  };
}

/** What somebody typed into the box: a node is asked for by its own parameter. */
export function subjectChanges(text: string): Readonly<Record<string, string | undefined>> {
  const trimmed = text.trim();
  const node = nodeIn(trimmed);
  const none = { subject: undefined, node: undefined, by: undefined, selected: undefined };
  if (node !== undefined) return { ...none, node };
  return { ...none, subject: trimmed === '' ? undefined : trimmed };
}

function nodeIn(text: string): string | undefined {
  return /^(?:nodes?|no)\/(.+)$/i.exec(text)?.[1];
}

/** What the box shows. */
export function subjectText({ subject, node }: Parameters): string {
  return subject ?? (node === undefined ? '' : `node/${node}`);
}

/** Undefined where no command shows the same: of all nodes at once. */
export function trailCommand(parameters: Parameters, { from, to }: TimeView): string | undefined {
  const { subject, namespace, node, cluster } = parameters;
  const flags = { n: namespace, cluster, since: instantText(from), until: instantText(to) };
  if (subject !== undefined) return commandLine('trail', [subject], flags);
  return node === undefined ? undefined : commandLine('node', [node], flags);
}
