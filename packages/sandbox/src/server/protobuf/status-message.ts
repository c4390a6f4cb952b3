// placeholder
import type { StatusBody } from '../../api/api-status-error.ts';
export function encodeStatus(status: StatusBody): Uint8Array {
  return Buffer.from(JSON.stringify(status));
}
