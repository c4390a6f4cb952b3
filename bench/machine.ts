// The machine under the figures.
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { output } from './cluster/go-programs.ts';

export async function describeMachine(): Promise<Readonly<Record<string, unknown>>> {
  const go = await output('go', ['env', 'GOVERSION']).catch(() => 'none');
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryBytes: totalmem(),
    os: `${process.platform} ${release()}`,
    node: process.version,
    v8: process.versions.v8,
    go: go.trim(),
  };
}
