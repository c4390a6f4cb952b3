// How much a browser loads: all scripts and styles of the page, each packed by gzip. Called by `npm run build`, which
// fails above the limit.
import { gzipSync } from 'node:zlib';

/** 60 KiB: on a slow line of 1 Mbit/s half a second. */
export const MOST_BYTES = 61_440;

/** Throws a sentence. */
export function checkSize(assets: ReadonlyMap<string, Uint8Array>): number {
  const bytes = packedBytes(assets);
  if (bytes > MOST_BYTES) {
    throw new Error(
      `the page is ${bytes} bytes packed, more than the ${MOST_BYTES} that its scripts and styles may be`,
    );
  }
  return bytes;
}

function packedBytes(assets: ReadonlyMap<string, Uint8Array>): number {
  let bytes = 0;
  for (const [name, content] of assets) if (/\.(?:js|css)$/.test(name)) bytes += gzipSync(content).length;
  return bytes;
}
