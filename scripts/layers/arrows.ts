// Which package of ours may know which other: the one place where the arrows of the house are written as data. They
// hold for tests too, so that no lower layer comes to lean on a higher one. Called by scripts/check-layers.ts.

export interface Arrow {
  readonly to: string;
  /** Only `import type`, and only from this subpath. */
  readonly typesOf?: string;
}

const to = (...names: string[]): Arrow[] => names.map((name) => ({ to: name }));

/** Folders under packages/. Workspaces that are not listed (e2e, bench, examples) may use everything. */
export const ARROWS: ReadonlyMap<string, readonly Arrow[]> = new Map([
  ['machinery', to()],
  ['history', to()],
  ['sandbox', to()], // knows nothing of machinery, so that it can disagree with the client it tests
  ['operator', to('machinery', 'history')],
  ['cli', to('operator', 'history', 'machinery', 'sandbox', 'web')],
  ['web', [{ to: 'history', typesOf: 'wire' }]],
]);

/** Files of a package that may know only one subpath of another: whoever asks imports the wire, and nothing deeper. */
export const DOORS: readonly { readonly files: RegExp; readonly of: string; readonly subpath: string }[] = [
  {
    files:
      /^packages\/cli\/src\/(?:commands\/(?:who|trail|node|changes|anomalies|gaps|attribute|explain|moves)|attribute\/.+|options\/(?:subject-help|search|span|paging)|views\/(?!anomaly)[a-z-]+)(?<!\.test)\.ts$/,
    of: '@podtrail/history',
    subpath: 'wire',
  },
];
