import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ociLayout } from './oci-layout.ts';
import { tar } from './tar.ts';

const PROGRAM = Buffer.from('a program of some bytes');
const IMAGES = [
  { name: 'localhost/pause:1', args: ['pause'] },
  { name: 'localhost/app:1', args: ['serve'] },
];

test('the archive is read by tar, and holds the program as it was', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-oci-'));
  t.after(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'images.tar'), tar(ociLayout(PROGRAM, IMAGES)));
  execFileSync('tar', ['-xf', 'images.tar'], { cwd: directory });
  const { manifests } = JSON.parse(await readFile(join(directory, 'index.json'), 'utf8')) as Index;
  assert.deepEqual(
    manifests.map(({ annotations }) => annotations['io.containerd.image.name']),
    ['localhost/pause:1', 'localhost/app:1'],
  );
  const blob = (digest: string) => readFile(join(directory, 'blobs', ...digest.split(':')));
  for (const { digest, size } of manifests) {
    const manifest = await blob(digest);
    assert.equal(manifest.length, size);
    assert.equal(`sha256:${createHash('sha256').update(manifest).digest('hex')}`, digest);
    const { layers, config } = JSON.parse(manifest.toString()) as Manifest;
    const layer = gunzipSync(await blob((layers[0] as Blob).digest));
    await writeFile(join(directory, 'layer.tar'), layer);
    execFileSync('tar', ['-xf', 'layer.tar'], { cwd: directory });
    assert.deepEqual(await readFile(join(directory, 'app')), PROGRAM);
    const { rootfs } = JSON.parse((await blob(config.digest)).toString()) as { rootfs: { diff_ids: string[] } };
    assert.equal(rootfs.diff_ids[0], `sha256:${createHash('sha256').update(layer).digest('hex')}`);
  }
});

test('the same program gives the same bytes', () => {
  assert.deepEqual(tar(ociLayout(PROGRAM, IMAGES)), tar(ociLayout(PROGRAM, IMAGES)));
});

interface Blob {
  readonly digest: string;
  readonly size: number;
}

interface Index {
  readonly manifests: readonly (Blob & { readonly annotations: Record<string, string> })[];
}

interface Manifest {
  readonly layers: readonly Blob[];
  readonly config: Blob;
}
