// Which form an answer takes, from the Accept header: JSON or protobuf, whole objects or tables or metadata alone.
import { ApiStatusError } from '../api/api-status-error.ts';

export interface AcceptedForm {
  readonly format: 'json' | 'protobuf';
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList';
  /** Of the form asked for: v1, v1beta1; v2 and v2beta1 for discovery. */
  readonly version: string;
}

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';
const PLAIN: AcceptedForm = { format: 'json', as: 'object', version: '' };

export interface Offer {
  readonly protobuf: boolean;
  readonly table: boolean;
  readonly metadata: boolean;
  readonly discovery: boolean;
}

/** The first clause that can be served; 406 where none can. */
export function negotiate(accept: string | undefined, offer: Offer): AcceptedForm {
  if (accept === undefined || accept.trim() === '') return PLAIN;
  let known = false;
  for (const clause of clauses(accept)) {
    const form = serve(clause, offer);
    if (form !== undefined) return form;
    known ||= clause.mediaType === JSON_TYPE || clause.mediaType === PROTOBUF;
  }
  if (known) {
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    throw new ApiStatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
  }
  throw new ApiStatusError(
    406,
    'NotAcceptable',
    '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, ' +
      'application/vnd.kubernetes.protobuf, application/json;stream=watch, ' +
      'application/vnd.kubernetes.protobuf;stream=watch',
    {},
  );
}

interface Clause {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function clauses(accept: string): Clause[] {
  const parsed = accept.split(',').map((text) => {
    const [mediaType = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = new Map(
      rest.map((pair): [string, string] => {
        const [name = '', value = ''] = pair.split('=');
        return [name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, '')];
      }),
    );
    return { mediaType: mediaType.toLowerCase(), parameters };
  });
  const quality = (clause: Clause) => Number(clause.parameters.get('q') ?? '1');
  return parsed.filter((clause) => quality(clause) > 0).sort((a, b) => quality(b) - quality(a));
}

function serve({ mediaType, parameters }: Clause, offer: Offer): AcceptedForm | undefined {
  const any = mediaType === '*/*' || mediaType === 'application/*';
  const format = mediaType === PROTOBUF && offer.protobuf ? 'protobuf' : any || mediaType === JSON_TYPE ? 'json' : null;
  if (format === null) return undefined;
  const as = parameters.get('as');
  const version = parameters.get('v') ?? '';
  if (as === undefined) return { format, as: 'object', version };
  if (format === 'protobuf') return undefined;
  if (as === 'Table' && offer.table && (version === 'v1' || version === 'v1beta1')) return { format, as, version };
  if ((as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') && offer.metadata) {
    return { format, as, version };
  }
  if (as === 'APIGroupDiscoveryList' && offer.discovery && (version === 'v2' || version === 'v2beta1')) {
    return { format, as, version };
  }
  return undefined;
}
