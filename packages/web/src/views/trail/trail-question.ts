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
  return isAddress(subject) || /^(?:svc|services?)\//i.test(subject) ? 'ip' : 'pod';
}

function isAddress(text: string): boolean {
  return /^\d+(?:\.\d+){3}$/.test(text) || (text.includes(':') && /^[\da-f:.]+$/i.test(text));
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
  const node = /^(?:nodes?|no)\/(.+)$/i.exec(trimmed)?.[1];
  const none = { subject: undefined, node: undefined, by: undefined, selected: undefined };
  if (node !== undefined) return { ...none, node };
  return { ...none, subject: trimmed === '' ? undefined : trimmed };
}

/** What the box shows. */
export function subjectText({ subject, node }: Parameters): string {
  return subject ?? (node === undefined ? '' : `node/${node}`);
}

export function trailCommand(parameters: Parameters, { from, to }: TimeView): string {
  const { subject, namespace, node, cluster } = parameters;
  const flags = { n: namespace, cluster, since: instantText(from), until: instantText(to) };
  if (subject !== undefined) return commandLine('trail', [subject], flags);
  return node === undefined ? commandLine('moves', [], flags) : commandLine('node', [node], flags);
}
