// The version of this package, as its manifest has it. Imported and not read, so that a bundle has it inside.
import manifest from '../package.json' with { type: 'json' };

export function podtrailVersion(): string {
  return manifest.version;
}
