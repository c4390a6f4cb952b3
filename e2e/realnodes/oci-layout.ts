// Images without a registry: one static program as an OCI image layout, and the same as an archive that containerd
// imports. Pure but for the files it writes; the same program gives the same bytes.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type TarEntry, tar } from './tar.ts';

export interface ImageName {
  /** For example `localhost/app:1`. */
  readonly name: string;
  /** The arguments of the program. */
  readonly args: readonly string[];
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The files of a layout whose images all hold `program` as /app. */
export function ociLayout(program: Buffer, images: readonly ImageName[], arch: string = process.arch): TarEntry[] {
  const blobs = new Map<string, Buffer>();
  const blob = (data: Buffer, mediaType: string): Descriptor => {
    const digest = sha256(data);
    blobs.set(digest, data);
    return { mediaType, digest, size: data.length };
  };
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const platform = { architecture: ARCHITECTURES[arch] ?? arch, os: 'linux' };
  const layer = tar([{ path: 'app', data: program, mode: 0o755 }]);
  const compressed = blob(gzipSync(layer, { level: 1 }), 'application/vnd.oci.image.layer.v1.tar+gzip');
  const manifests = images.map(({ name, args }) => {
    const rootfs = { type: 'layers', diff_ids: [sha256(layer)] };
    // The name makes two images of the same program and arguments different: a kubelet that has pulled one by its id
    // takes the other, which was imported, for pulled as well, and refuses it to pods that say `Never`.
    const config = { ...platform, config: { Entrypoint: ['/app'], Cmd: args, Labels: { name } }, rootfs };
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: blob(json(config), 'application/vnd.oci.image.config.v1+json'),
      layers: [compressed],
    };
    const annotations = {
      'io.containerd.image.name': name,
      'org.opencontainers.image.ref.name': name.split(':')[1],
    };
    return { ...blob(json(manifest), manifest.mediaType), platform, annotations };
  });
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests };
  return [
    { path: 'oci-layout', data: json({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
    { path: 'index.json', data: json(index), mode: 0o644 },
    ...[...blobs].map(([digest, data]) => ({ path: `blobs/${digest.replace(':', '/')}`, data, mode: 0o644 })),
  ];
}

export async function writeLayout(directory: string, files: readonly TarEntry[]): Promise<void> {
  for (const { path, data } of files) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, data);
  }
}

function sha256(data: Buffer): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}
