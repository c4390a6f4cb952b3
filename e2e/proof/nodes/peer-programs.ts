// The programs of the peer "kube-state-metrics and Prometheus": the former built from its Go module, the latter taken
// from the PATH or from Debian's package, unpacked into the cache. Nothing is installed on the machine.
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce } from '../../controlplane/build-once.ts';
import { cacheRoot } from '../../controlplane/cache-directory.ts';
import { ControlPlaneError } from '../../controlplane/control-plane-error.ts';
import { ensureModule } from '../../realnodes/build.ts';
import { stateMetricsModule } from '../../realnodes/programs.ts';

export interface PeerPrograms {
  readonly stateMetrics: string;
  readonly prometheus: string;
}

const run = promisify(execFile);

export async function ensurePeerPrograms(output: NodeJS.WriteStream = process.stderr): Promise<PeerPrograms> {
  const prometheus = await ensurePrometheus(output);
  return { stateMetrics: join(await ensureModule(stateMetricsModule(), output), 'kube-state-metrics'), prometheus };
}

/** For judging a kept run, which needs no kube-state-metrics. */
export async function ensurePrometheus(output: NodeJS.WriteStream = process.stderr): Promise<string> {
  const there = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'prometheus'))
    .find(isProgram);
  if (there !== undefined) return there;
  const folder = await buildOnce({
    root: join(cacheRoot(), '..', 'realnodes'),
    key: `prometheus-debian-${process.arch}`,
    what: "Debian's Prometheus",
    output,
    build: (partial) => unpackPrometheus(partial, output),
  });
  return join(folder, 'prometheus');
}

async function unpackPrometheus(folder: string, output: NodeJS.WriteStream): Promise<void> {
  const packed = join(folder, 'packed');
  await mkdir(packed, { recursive: true });
  try {
    output.write("downloading Debian's package prometheus\n");
    // An image without package lists has none to download from.
    await download(packed).catch(async () => {
      await run('apt-get', ['update', '-qq']);
      await download(packed);
    });
    const [file = ''] = await readdir(packed);
    await run('dpkg', ['-x', join(packed, file), packed]);
    await rename(join(packed, 'usr', 'bin', 'prometheus'), join(folder, 'prometheus'));
  } catch (cause) {
    throw new ControlPlaneError("Prometheus is not there, and Debian's package could not be had.", {
      hint: 'Put prometheus on the PATH, or leave --peers out.',
      cause,
    });
  } finally {
    await rm(packed, { recursive: true, force: true });
  }
}

/** As root apt would rather be another user, who may not write here. */
async function download(folder: string): Promise<void> {
  await run('apt-get', ['-qq', '-o', 'APT::Sandbox::User=root', 'download', 'prometheus'], { cwd: folder });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
