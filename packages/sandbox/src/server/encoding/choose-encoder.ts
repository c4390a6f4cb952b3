// Picks the encoder for the form that was negotiated.
import type { ResourceType } from '../../api/resource-type.ts';
import type { AcceptedForm } from '../content-negotiation.ts';
import { protobufEncoder } from '../protobuf/protobuf-encoder.ts';
import { tableEncoder } from '../table/table-encoder.ts';
import { jsonEncoder, metadataOnly, wholeObjects } from './json-encoder.ts';
import type { ObjectEncoder } from './object-encoder.ts';

export interface EncoderOptions {
  readonly includeObject: string;
  readonly pretty: boolean;
  readonly clock: { now(): number };
}

export function chooseEncoder(
  type: ResourceType,
  version: string,
  form: AcceptedForm,
  { includeObject, pretty, clock }: EncoderOptions,
): ObjectEncoder {
  if (form.format === 'protobuf') return protobufEncoder(type, version);
  switch (form.as) {
    case 'Table':
      return tableEncoder({ type, version, tableVersion: form.version, includeObject, clock });
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return jsonEncoder(metadataOnly(form.version || 'v1'), pretty);
    default:
      return jsonEncoder(wholeObjects(type, version), pretty);
  }
}
