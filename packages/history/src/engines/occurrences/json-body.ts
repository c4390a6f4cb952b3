// The body of a kind whose records are read whole and seldom: provenance, then the rest as one text.
import type { Provenance } from '../../model/boundary.ts';
import type { BodyReader, BodyWriter } from './occurrence-type.ts';

export function writeJsonBody(body: BodyWriter, record: Provenance): void {
  const { source, epoch, resourceVersion, observedAt, collector, ...rest } = record;
  body.provenance({ source, epoch, resourceVersion, observedAt, collector });
  body.text(JSON.stringify(rest));
}

/** A field that was undefined is absent. */
export function readJsonBody<R extends Provenance>(body: BodyReader): R {
  const provenance = body.provenance();
  return { ...provenance, ...JSON.parse(body.text()) };
}
