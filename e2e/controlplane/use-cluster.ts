// The cluster of one test file: its own control plane or, with PODTRAIL_E2E_KUBECONFIG, one that is there already
// (kind, minikube). A test names what it needs beyond the API; what a given cluster lacks becomes a written skip.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ensureBinaries } from './build.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import { type KubectlOptions, runKubectl } from './kubectl.ts';

/** What not every cluster has, and how its lack is written beside a skipped test. */
const NEEDS = {
  'own control plane': 'its programs are stopped, restarted or read from outside',
  'simulated nodes': 'nodes are drained and pods must start without an image',
} as const;

export type Need = keyof typeof NEEDS;

export interface ClusterOptions extends ControlPlaneOptions {
  /** What every test of the file needs. */
  readonly needs?: readonly Need[];
}

/** For the top of a test file: `const cluster = await useCluster({ … })`. Ended after the file's last test. */
export async function useCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const given = process.env['PODTRAIL_E2E_KUBECONFIG'] ?? '';
  const { needs = [], ...start } = options;
  if (given === '') {
    const plane = await startControlPlane(start);
    after(() => plane.stop());
    return new TestCluster(plane.adminKubeconfig, plane.kubectlPath, plane, needs);
  }
  return new TestCluster(given, await findKubectl(), undefined, needs);
}

export class TestCluster {
  readonly kubeconfig: string;
  readonly kubectlPath: string;
  /**
   * For `test('…', { skip }, …)`: false, or why this file's tests cannot run on the given cluster. On each test rather
   * than on a `describe`, whose skipped tests the runner neither prints nor counts.
   */
  readonly skip: string | false;
  readonly #plane: ControlPlane | undefined;

  constructor(kubeconfig: string, kubectlPath: string, plane: ControlPlane | undefined, needs: readonly Need[]) {
    this.kubeconfig = kubeconfig;
    this.kubectlPath = kubectlPath;
    this.#plane = plane;
    this.skip = this.skipUnless(...needs);
  }

  /** For `test('…', { skip: cluster.skipUnless('own control plane') }, …)`. */
  skipUnless(...needs: Need[]): string | false {
    const [missing] = needs;
    if (this.#plane || missing === undefined) return false;
    return `needs ${missing === 'own control plane' ? 'its ' : ''}${missing} (${NEEDS[missing]}), and PODTRAIL_E2E_KUBECONFIG names a given cluster`;
  }

  get controlPlane(): ControlPlane {
    if (this.#plane) return this.#plane;
    throw new ControlPlaneError('A given cluster has no parts to control.', {
      hint: "Name the test's need: { skip: cluster.skipUnless('own control plane') }.",
    });
  }

  kubectl(args: readonly string[], options: Partial<KubectlOptions> = {}): Promise<string> {
    const inheritEnvironment = this.#plane === undefined;
    return runKubectl(this.kubectlPath, args, { kubeconfig: this.kubeconfig, inheritEnvironment, ...options });
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there; a wrong path fails the test.
  async kubectlJson(args: readonly string[], options: Partial<KubectlOptions> = {}): Promise<any> {
    return JSON.parse(await this.kubectl([...args, '-o', 'json'], options));
  }

  /** A namespace for one test, deleted after it. */
  async namespace(t: TestContext): Promise<string> {
    const name = `podtrail-e2e-${randomBytes(4).toString('hex')}`;
    await this.kubectl(['create', 'namespace', name]);
    t.after(() => this.kubectl(['delete', 'namespace', name, '--wait=false']));
    return name;
  }
}

/** On a given cluster the machine's own kubectl will do, so that such a run needs no Go. */
async function findKubectl(): Promise<string> {
  try {
    await promisify(execFile)('kubectl', ['version', '--client']);
    return 'kubectl';
  } catch {
    return (await ensureBinaries()).path('kubectl');
  }
}
