// Holders, boundaries and evidence, as every document has them.
import type { Boundary, Provenance } from '../model/boundary.ts';
import type { Holder } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import type { AnsweredHolder } from '../query/answer.ts';
import { doubtText } from '../query/why-in-doubt.ts';
import type { AnsweredHolderDocument, BoundaryDocument, EvidenceDocument, HolderDocument } from './schemas/index.ts';

export function holderDocument({ kind, namespace, name, uid, node, workload, hostNetwork }: Holder): HolderDocument {
  return {
    kind,
    namespace,
    name,
    pod: name,
    uid,
    node,
    workload: workload === undefined ? null : workloadDocument(workload),
    hostNetwork,
  };
}

function workloadDocument({ kind, name, inferred }: NonNullable<Holder['workload']>) {
  return inferred ? { kind, name, inferred: true as const } : { kind, name };
}

export function boundaryDocument({ at, notBefore, notAfter, source }: Boundary): BoundaryDocument {
  return { at: toText(at), notBefore: toText(notBefore), notAfter: toText(notAfter), source };
}

export function endDocument(end: Boundary | undefined): BoundaryDocument | null {
  return end === undefined ? null : boundaryDocument(end);
}

export function evidenceDocument(provenance: Provenance, namesCollector = false): EvidenceDocument {
  const { source, epoch, resourceVersion, observedAt, collector } = provenance;
  return { source, epoch, resourceVersion, observedAt: toText(observedAt), ...(namesCollector ? { collector } : {}) };
}

export function answeredHolderDocument(holder: AnsweredHolder): AnsweredHolderDocument {
  const { start, end, why } = holder;
  return {
    ...holderDocument(holder),
    start: boundaryDocument(start),
    end: endDocument(end),
    ...(why === undefined ? {} : { why: { code: why.code, text: doubtText(why) } }),
  };
}

export function textOrNull(instant: EpochMillis | undefined): string | null {
  return instant === undefined ? null : toText(instant);
}
