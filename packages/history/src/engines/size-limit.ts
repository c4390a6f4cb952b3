// How large a store may become: so many bytes, or a share of the volume that it lies on.
export type SizeLimit =
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'share'; readonly share: number };

/** What is not podtrail's, week files that are being written and the log need the rest. */
export const DEFAULT_SIZE_LIMIT: SizeLimit = { kind: 'share', share: 0.8 };
/** A limit that the volume cannot hold would never be reached: then this share of it counts. */
const LARGEST_SHARE = 0.9;

const UNITS = ['', 'K', 'M', 'G', 'T'];
const SIZE = /^(\d+(?:\.\d+)?)([KMGT]?)(i?)B?$/i;
const SHARE = /^(\d+(?:\.\d+)?)%$/;

/** `8Gi` and `8GiB` (1024), `8G` and `8GB` (1000), or plain bytes. Undefined for what is no size. */
export function parseSize(text: string): number | undefined {
  const [, number, unit = '', binary] = SIZE.exec(text) ?? [];
  if (number === undefined || (binary !== '' && unit === '')) return undefined;
  const bytes = Math.round(Number(number) * (binary === '' ? 1000 : 1024) ** UNITS.indexOf(unit.toUpperCase()));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** A size, or a share as `80%`. */
export function parseSizeLimit(text: string): SizeLimit | undefined {
  const [, percent] = SHARE.exec(text) ?? [];
  if (percent !== undefined) {
    const share = Number(percent) / 100;
    return share > 0 && share <= LARGEST_SHARE ? { kind: 'share', share } : undefined;
  }
  const bytes = parseSize(text);
  return bytes === undefined || bytes === 0 ? undefined : { kind: 'bytes', bytes };
}

/** Undefined: the file system does not say how large it is, and what is not known limits nothing. */
export function limitBytes(limit: SizeLimit, volumeBytes: number): number | undefined {
  if (volumeBytes === 0) return limit.kind === 'bytes' ? limit.bytes : undefined;
  if (limit.kind === 'share') return Math.floor(volumeBytes * limit.share);
  return Math.min(limit.bytes, Math.floor(volumeBytes * LARGEST_SHARE));
}
