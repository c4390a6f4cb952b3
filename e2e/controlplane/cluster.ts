// `npm run cluster`: a real control plane with simulated nodes, real ones or both for a person, until Ctrl+C.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { APP_IMAGE } from '../realnodes/index.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import { endBuilds } from './go-toolchain.ts';
import { kubernetesVersion } from './programs.ts';

const HELP = `Starts a real control plane with simulated (kwok) or real nodes on this machine, until Ctrl+C.

Usage: npm run cluster -- [options]
  --nodes N              simulated nodes (default 5; with --real-nodes none)
  --real-nodes N         nodes with a real kubelet and containerd, whose pods run (needs root and Linux)
  --kubeconfig-out FILE  write the administrator's kubeconfig there too; removed at the end
  --help                 this text
`;

interface Arguments {
  readonly nodes: number;
  readonly realNodes: number;
  readonly kubeconfigOut: string | undefined;
}

class UsageError extends Error {}

async function main(): Promise<void> {
  const wanted = readArguments(process.argv.slice(2));
  if (wanted === 'help') {
    process.stdout.write(HELP);
    return;
  }
  const interrupted = new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      let times = 0;
      process.on(signal, () => {
        // The first one after the start ends things in order. Any other leaves at once: the supervisor clears up.
        if (plane && times++ === 0) return done();
        endBuilds();
        process.exit(130);
      });
    }
  });
  let plane: ControlPlane | undefined;
  const start = performance.now();
  process.stderr.write('Starting the control plane …\n');
  const { nodes, realNodes, kubeconfigOut } = wanted;
  const names = Array.from({ length: realNodes }, (_, index) => ({ name: `real-${index + 1}` }));
  plane = await startControlPlane({
    controllerManager: true,
    scheduler: true,
    kwok: { nodes },
    ...(realNodes === 0 ? {} : { realNodes: { nodes: names } }),
  });
  try {
    if (kubeconfigOut !== undefined) await plane.kubeconfig({ file: kubeconfigOut });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    process.stdout.write(greeting(plane, wanted, seconds));
    const keepAlive = setInterval(() => {}, 60_000);
    await interrupted;
    clearInterval(keepAlive);
    process.stderr.write('\nStopping the control plane …\n');
  } finally {
    await plane.stop();
    if (kubeconfigOut !== undefined) await rm(kubeconfigOut, { force: true });
  }
}

function readArguments(argv: string[]): Arguments | 'help' {
  const { values } = (() => {
    try {
      return parseArgs({
        args: argv,
        options: {
          nodes: { type: 'string' },
          'real-nodes': { type: 'string', default: '0' },
          'kubeconfig-out': { type: 'string' },
          help: { type: 'boolean', short: 'h', default: false },
        },
      });
    } catch (error) {
      throw new UsageError((error as Error).message.split('. ')[0]);
    }
  })();
  if (values.help) return 'help';
  const realNodes = values['real-nodes'];
  const { nodes = realNodes === '0' ? '5' : '0' } = values;
  if (!/^\d{1,4}$/.test(nodes)) throw new UsageError(`--nodes takes a number from 0 to 9999, not '${nodes}'`);
  if (!/^\d{1,2}$/.test(realNodes)) {
    throw new UsageError(`--real-nodes takes a number from 0 to 99, not '${realNodes}'`);
  }
  const out = values['kubeconfig-out'];
  if (out === '') throw new UsageError('--kubeconfig-out takes the name of a file');
  if (out !== undefined && existsSync(out)) {
    throw new UsageError(`--kubeconfig-out would overwrite ${out}, which exists already`);
  }
  return {
    nodes: Number(nodes),
    realNodes: Number(realNodes),
    kubeconfigOut: out === undefined ? undefined : resolve(out),
  };
}

function greeting(plane: ControlPlane, { nodes, realNodes, kubeconfigOut }: Arguments, seconds: string): string {
  const many = (count: number, kind: string): string[] =>
    count === 0 ? [] : [`${count} ${kind} node${count === 1 ? '' : 's'}`];
  const all = [...many(realNodes, 'real'), ...many(nodes, 'simulated')].join(' and ') || 'no nodes';
  return `
Kubernetes ${kubernetesVersion} with ${all} is up (${seconds} s).

  export KUBECONFIG=${kubeconfigOut ?? plane.adminKubeconfig}
  alias kubectl=${plane.kubectlPath}

  kubectl get nodes
${realNodes === 0 ? SIMULATED_EXAMPLE : realExample(plane)}
Logs, certificates and data are in ${plane.directory}.
Ctrl+C stops it and removes everything.
`;
}

const SIMULATED_EXAMPLE = `  kubectl create deployment web --image=registry.k8s.io/pause:3.10 --replicas=6
  kubectl get pods -o wide
  kubectl drain node-0 --ignore-daemonsets
`;

/** Real pods run what is there: no registry is reached from their network. */
function realExample(plane: ControlPlane): string {
  return `  kubectl run web --image=${APP_IMAGE} --image-pull-policy=Never --env=POD_UID=web
  kubectl get pods -o wide
  kubectl get --raw /api/v1/namespaces/default/pods/web:8080/proxy/

The pods' network is a namespace of its own; to be in it:
  nsenter --net=${plane.realNodes.netns} wget -qO- http://ADDRESS-OF-THE-POD:8080
`;
}

try {
  await main();
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}. See npm run cluster -- --help.\n`);
    process.exitCode = 2;
  } else if (error instanceof ControlPlaneError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
