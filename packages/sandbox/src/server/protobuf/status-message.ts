// Refusals in protobuf, for clients that ask for nothing else.
import type { StatusBody } from '../../api/api-status-error.ts';
import { sealed } from './envelope.ts';

export function encodeStatus(status: StatusBody): Uint8Array {
  return sealed('v1', 'Status', (writer) => writer.message('Status', status));
}
