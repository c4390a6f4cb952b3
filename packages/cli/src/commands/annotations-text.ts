// Reports of the annotation watcher as people and programs read them. Text shows values cut and made visible; JSON keeps
// them exactly.
import type { AnnotationReport, AnnotationSummary } from '@podtrail/operator';
import { formatJsonLine } from '../output/json.ts';
import { visible } from '../output/visible.ts';

export interface ReportFormat {
  /** Every current annotation too. */
  readonly all: boolean;
  /** Values as long as they are. */
  readonly full: boolean;
}

const LONGEST_SHOWN = 80;
const SIGNS = { added: '+', changed: '~', removed: '-' } as const;

export function summaryText({ pods, annotated }: AnnotationSummary): string {
  return `${pods} total pods, ${annotated} with annotations\n`;
}

export function summaryLine({ pods, annotated }: AnnotationSummary, at: number): string {
  return formatJsonLine({ event: 'START', seen: utc(at), pods, annotated });
}

export function reportText(
  { event, pod, changes, annotations }: AnnotationReport,
  { all, full }: ReportFormat,
): string {
  const { metadata, spec, status } = pod;
  const shown = (value: string) => valueText(value, full);
  const name = visible(`${metadata.namespace}/${metadata.name}`);
  const lines = [
    `${event.padEnd(7)}  ${name}  ${visible(status.phase) || '<none>'}  ${visible(spec.nodeName) || '<none>'}`,
  ];
  for (const change of changes) {
    const value =
      change.change === 'added'
        ? shown(change.after)
        : change.change === 'removed'
          ? shown(change.before)
          : `${shown(change.before)} → ${shown(change.after)}`;
    lines.push(`  ${SIGNS[change.change]} ${visible(change.key)}: ${value}`);
  }
  if (all && annotations.length === 0) lines.push('  annotations: (none)');
  if (all && annotations.length > 0) {
    lines.push('  annotations:');
    for (const [key, value] of annotations) lines.push(`    ${visible(key)}: ${shown(value)}`);
  }
  return `${lines.join('\n')}\n`;
}

export function reportLine(report: AnnotationReport, { all }: Pick<ReportFormat, 'all'>, at: number): string {
  const { event, pod, changes, annotations } = report;
  const { metadata, spec, status } = pod;
  return formatJsonLine({
    event,
    seen: utc(at),
    namespace: metadata.namespace,
    pod: metadata.name,
    uid: metadata.uid,
    phase: status.phase,
    node: spec.nodeName,
    resourceVersion: metadata.resourceVersion,
    // A list and not an object: a key may be called as anything that objects have.
    changes,
    ...(all ? { annotations: annotations.map(([key, value]) => ({ key, value })) } : {}),
  });
}

/** Cut between characters, before it is made visible: an escape is never cut. */
function valueText(value: string, full: boolean): string {
  if (value === '') return '""';
  if (full || value.length <= LONGEST_SHOWN) return visible(value);
  const characters = [...value.slice(0, 2 * LONGEST_SHOWN + 2)];
  if (characters.length <= LONGEST_SHOWN) return visible(value);
  return `${visible(characters.slice(0, LONGEST_SHOWN).join(''))}…`;
}

function utc(at: number): string {
  return new Date(at).toISOString();
}
