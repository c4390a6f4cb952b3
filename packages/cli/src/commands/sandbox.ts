// `podtrail sandbox`: a Kubernetes API server with a simulated cluster behind it, for those who want a cluster for
// nothing. Everything is in memory; Ctrl+C leaves nothing behind but the kubeconfig that was asked for.
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FaultSwitchboard, serveFaultControl } from '@podtrail/sandbox';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { describeError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { ADMIN, LivingCluster, STARTING_MS } from '../sandbox/living-cluster.ts';
import { checkSize, type SizeOptions, sizeFlags, wholeNumber } from '../sandbox/size-flags.ts';

interface SandboxOptions extends SizeOptions {
  readonly kubeconfigOut?: string;
  readonly port: number;
  readonly faultPort?: number;
}

export function sandboxCommand(cli: Cli): Command {
  const command = cli
    .command('sandbox', 'A simulated cluster with a Kubernetes API, until Ctrl+C.', [])
    .option('--kubeconfig-out <file>', 'write the kubeconfig there, once all pods run')
    .option('--port <port>', 'of the API server; 0: any free one', wholeNumber('--port', 0, 65_535), 0)
    .option(
      '--fault-port <port>',
      'serve the switchboard of faults there, on this machine only',
      wholeNumber('--fault-port', 0, 65_535),
    );
  return sizeFlags(command, { nodes: 10, pods: 200 })
    .addHelpText(
      'after',
      `
Real clients work with it: kubectl --kubeconfig FILE get pods -A -o wide. It has nodes, a scheduler, kubelets and the
workload controllers, but runs no containers. The kubeconfig appears by a rename when the pods are Running, so whoever
waits for the file never reads half of it.

With --fault-port, faults are armed by HTTP, for example
  curl -d '{"kind":"refuse","code":503,"on":{"verb":"watch"},"times":3}' http://127.0.0.1:PORT/faults
GET /faults lists them, DELETE /faults takes all back, POST /compact makes the server forget the past.

Examples:
  podtrail sandbox --kubeconfig-out sandbox.kubeconfig
  podtrail sandbox --nodes 40 --pods 2000 --seed 7 --speed 5 --port 6443 --kubeconfig-out /tmp/sandbox`,
    )
    .action(cli.finishes((options: SandboxOptions) => run(cli, options)));
}

async function run(cli: Cli, options: SandboxOptions): Promise<ExitCode> {
  const { stderr, stdout, signal, clock, random } = cli.commandEnv;
  checkSize(options);
  const seed = options.seed ?? Math.floor(random() * 2 ** 31);
  const { nodes, pods } = options;
  const living = new LivingCluster({ nodes, pods, seed, begins: clock.now() - STARTING_MS });
  await stderr.write(`starting a cluster of ${nodes} nodes and about ${pods} pods (--seed ${seed}) …\n`);
  await using ends = new AsyncDisposableStack();
  ends.defer(() => living.close());
  const switchboard = new FaultSwitchboard();
  await living.populate(pods, { signal });
  await living.arrive(signal);
  if (signal.aborted) return EXIT.answered;
  const server = await living.serve(options.port, switchboard).catch((error) => {
    throw portProblem(error, options.port);
  });
  ends.defer(() => server.close());
  const { kubeconfigOut, faultPort } = options;
  const control =
    faultPort === undefined
      ? undefined
      : await serveFaultControl({ switchboard, server, port: faultPort }).catch((error) => {
          throw portProblem(error, faultPort);
        });
  if (control !== undefined) ends.defer(() => control.close());
  // Nobody may be there any more to read it.
  const onError = (error: unknown) => stderr.write(`${describeError(error, false)}\n`).catch(() => undefined);
  living.live({ speed: options.speed, onError });
  if (kubeconfigOut !== undefined) await writeAtOnce(kubeconfigOut, server.kubeconfig(ADMIN));
  await stdout.write(`${server.url}\n`);
  if (control !== undefined) await stderr.write(`faults: ${control.url}/faults\n`);
  if (kubeconfigOut !== undefined)
    await stderr.write(`try: kubectl --kubeconfig ${kubeconfigOut} get pods -A -o wide\n`);
  else await stderr.write('no kubeconfig was written; --kubeconfig-out FILE writes one\n');
  if (options.speed > 0)
    await stderr.write('rollouts, drains and dying nodes happen by themselves; with --speed 0 nothing does\n');
  await stderr.write('Ctrl+C ends it\n');
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return EXIT.answered;
}

/** Never half of it under its name, and for nobody else to read: it holds the way in. */
async function writeAtOnce(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}`);
  try {
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const { code } = error as { code?: unknown };
    if (code === 'ENOENT')
      throw new UsageError(
        `--kubeconfig-out ${path}: there is no such directory`,
        'make it first, or name another path.',
      );
    if (code === 'EISDIR') throw new UsageError(`--kubeconfig-out ${path} is a directory`, 'name a file in it.');
    throw error;
  }
}

function portProblem(error: unknown, port: number): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'EADDRINUSE') return new UsageError(`port ${port} is taken`, 'take another one, or 0 for any free one.');
  if (code === 'EACCES') return new UsageError(`port ${port} may not be taken by this user`, 'take one above 1023.');
  return error;
}
