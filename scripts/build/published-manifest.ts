// The package.json of a package as it is published: what `npm run build` writes beside the JavaScript. In the clone the
// manifests point at TypeScript sources, which Node does not run under node_modules; here the same names lead to
// JavaScript and types. Called by scripts/build.ts.

export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  /** Never published: its part is in another package. */
  readonly private?: boolean;
  readonly description: string;
  readonly license: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface RootManifest {
  readonly engines: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** The folder with the code, beside the manifest. */
export const LIB = 'lib';
/** The folder with the page that the command serves. */
export const PAGE = 'page';
const SOURCE = /^\.\/src\/(.+)\.ts$/;

/** A library: the same exports, each with its types. */
export function libraryManifest(source: SourceManifest, repository: string | undefined) {
  const exports = Object.entries(source.exports ?? {}).map(([subpath, target]) => {
    const [, path] = SOURCE.exec(target) ?? [];
    if (path === undefined) throw new Error(`${source.name} exports ${target}: only ./src/….ts can be built`);
    return [subpath, { types: `./${LIB}/${path}.d.ts`, default: `./${LIB}/${path}.js` }] as const;
  });
  return {
    ...common(source, repository),
    engines: source.engines,
    sideEffects: false,
    types: exports.find(([subpath]) => subpath === '.')?.[1].types,
    exports: { ...Object.fromEntries(exports), './package.json': './package.json' },
    files: [LIB],
    dependencies: source.dependencies,
  };
}

/**
 * The command: its dependencies are in the bundle, and the Node that it was tested with comes along. Only the launcher
 * must run on the machine's own Node, so it asks for no more than a clone does.
 */
export function commandManifest(source: SourceManifest, root: RootManifest, repository: string | undefined) {
  const bin = Object.entries(source.bin ?? {}).map(([name, path]) => [name, path.replace(/^\.\/src\//, './')] as const);
  return {
    ...common(source, repository),
    engines: { node: root.engines['node'] },
    bin: Object.fromEntries(bin),
    files: [...new Set(bin.map(([, path]) => path.slice('./'.length))), LIB, PAGE, NOTICES],
    optionalDependencies: root.optionalDependencies,
  };
}

export const NOTICES = 'THIRD-PARTY-NOTICES.md';

/** Provenance names the repository of the build; npm compares it with the manifest. Elsewhere there is none to name. */
export function repositoryUrl(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, CI_PROJECT_URL } = env;
  if (GITHUB_SERVER_URL && GITHUB_REPOSITORY) return `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`;
  return CI_PROJECT_URL ? `git+${CI_PROJECT_URL}.git` : undefined;
}

function common({ name, version, description, license }: SourceManifest, repository: string | undefined) {
  return {
    name,
    version,
    description,
    license,
    ...(repository === undefined ? {} : { repository: { type: 'git', url: repository } }),
    type: 'module',
    publishConfig: { access: 'public', provenance: true },
  };
}
