// Finds and reads the kubeconfig files: an explicit path, else the KUBECONFIG list, else ~/.kube/config. A missing file
// of a list is skipped as kubectl does; a missing explicit file, and any file that is broken, is an error.
import { delimiter, join, resolve } from 'node:path';
import type { ConfigEnv } from './config-env.ts';
import { fileProblem, isMissingFile } from './file-problem.ts';
import { type Kubeconfig, parseKubeconfig } from './kubeconfig-file.ts';
import { mergeKubeconfigs } from './kubeconfig-merge.ts';

export interface LoadedKubeconfig {
  readonly config: Kubeconfig;
  /** Files that were looked for in vain, for the sentence "nothing was found". */
  readonly missing: readonly string[];
}

export async function loadKubeconfig(
  explicitPath: string | undefined,
  configEnv: ConfigEnv,
): Promise<LoadedKubeconfig> {
  const { files, workingDirectory } = configEnv;
  const configs: Kubeconfig[] = [];
  const missing: string[] = [];
  for (const listed of explicitPath === undefined ? kubeconfigPaths(configEnv) : [explicitPath]) {
    const path = resolve(workingDirectory, listed);
    let text: string;
    try {
      text = await files.read(path);
    } catch (error) {
      if (!isMissingFile(error) || explicitPath !== undefined) throw fileProblem(path, 'the kubeconfig', error);
      missing.push(path);
      continue;
    }
    configs.push(parseKubeconfig(text, path));
  }
  return { config: mergeKubeconfigs(configs), missing };
}

function kubeconfigPaths({ env, homeDirectory }: ConfigEnv): readonly string[] {
  const list = env['KUBECONFIG'];
  if (list === undefined || list === '') return [join(homeDirectory, '.kube', 'config')];
  return [...new Set(list.split(delimiter).filter((path) => path !== ''))];
}
